// What a screen reader is told without moving anybody's focus.

let region: HTMLElement | null = null;

/** Says a sentence politely: after what is being read, never in its place. */
export function announce(text: string): void {
  if (!region) {
    region = document.createElement('div');
    region.className = 'vh';
    region.setAttribute('role', 'status');
    region.setAttribute('aria-live', 'polite');
    document.body.append(region);
  }
  // A line of its own each time: an equal text would not be read again.
  const line = document.createElement('p');
  line.textContent = text;
  region.replaceChildren(line);
}
