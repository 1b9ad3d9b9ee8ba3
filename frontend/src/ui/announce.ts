// What a screen reader is told without moving anybody's focus.

/** A line goes once it has surely been read, so that nobody meets old news in the page. */
const keptMS = 10_000;

let region: HTMLElement | null = null;

/**
 * Puts the place of announcements into the page, empty. Readers hear what is added
 * to a place that they know, so it has to be there before the first sentence.
 */
export function readyToAnnounce(): HTMLElement {
  if (region?.isConnected) return region;
  region = document.createElement('div');
  region.className = 'vh';
  region.setAttribute('role', 'status');
  region.setAttribute('aria-live', 'polite');
  document.body.append(region);
  return region;
}

/** Says a sentence politely: after what is being read, never in its place or in that of another. */
export function announce(text: string): void {
  // A line of its own each time: an equal text would not be read again.
  const line = document.createElement('p');
  line.textContent = text;
  readyToAnnounce().append(line);
  setTimeout(() => line.remove(), keptMS);
}
