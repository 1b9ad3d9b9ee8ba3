// Text that agents and servers wrote is shown inside a frame that is ours. It
// must not be able to reorder, hide or push away that frame, so characters that
// steer layout instead of saying something are made visible here. Pure.

const bidi = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
// Single code points, listed because they combine or show nothing.
const invisible =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: a list of code points
  /[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: to find them is the purpose
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/u;
const joiner = /[\u200c\u200d]/u;
const odd = new RegExp([bidi, invisible, control, joiner].map((r) => r.source).join('|'), 'gu');

const pictograph = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f/u;
// Scripts in which a joiner changes what a word says.
const joining =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Syriac}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}]/u;

/** More marks than any language stacks on one letter; the rest would paint over other lines. */
const stacked = /(\p{M}{4})\p{M}+/gu;

function joins(before: string, after: string): boolean {
  return (pictograph.test(before) && pictograph.test(after)) || (joining.test(before) && joining.test(after));
}

function lastChar(s: string): string {
  return Array.from(s.slice(-2)).at(-1) ?? '';
}

/** The visible stand-in for a character that would otherwise steer layout unseen. */
function shown(char: string): string {
  return `⟨U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/**
 * The text with every invisible or direction-changing character replaced by its
 * name, such as ⟨U+202E⟩. Line breaks and tabs stay; line and paragraph
 * separators become line breaks; a run of more than two breaks becomes two.
 */
export function neutral(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replace(odd, (char, at: number) => {
      if (joiner.test(char)) {
        const after = text.slice(at + 1, at + 3);
        if (joins(lastChar(text.slice(0, at)), after)) return char;
      }
      return shown(char);
    })
    .replace(stacked, '$1')
    .replace(/[^\S\n]*\n(?:[^\S\n]*\n){2,}/g, '\n\n');
}

/** The opening or closing line of a block of code, with what follows it when that can be a language. */
const fence = /^\s*(`{3,}|~{3,})\s*[\w+#.-]{0,20}\s*$/;

/** The same on one line, for places that hold one line: titles, labels, tooltips. Fences of code fall away. */
export function oneLine(text: string): string {
  const lines = neutral(text).split('\n');
  const said = lines.length > 1 ? lines.filter((l) => !fence.test(l)) : lines;
  return said.join(' ').replace(/\s+/g, ' ').trim();
}

/** The first max code points, with an ellipsis when there are more. */
export function shorten(text: string, max: number): string {
  const chars = Array.from(text);
  return chars.length <= max ? text : `${chars.slice(0, max - 1).join('')}…`;
}

/** How many characters a person would count. */
export function countChars(text: string): number {
  return Array.from(text).length;
}

export interface Span {
  text: string;
  code: boolean;
}

/** Splits `code` in backticks from the rest; an unpaired backtick is an ordinary character. */
export function spans(text: string): Span[] {
  const parts = text.split(/`([^`\n]+)`/);
  return parts.map((part, i) => ({ text: part, code: i % 2 === 1 })).filter((s) => s.text !== '');
}

/**
 * Cuts a text at empty lines; fenced code is a piece of its own, without its
 * fences. One that is not closed runs to the end.
 */
export function pieces(text: string): Span[] {
  const out: Span[] = [];
  let lines: string[] = [];
  let open = '';
  const cut = (code: boolean) => {
    const piece = lines.join('\n').trimEnd();
    if (piece.trim() !== '') out.push({ text: piece, code });
    lines = [];
  };
  for (const line of text.split('\n')) {
    const mark = fence.exec(line)?.[1] ?? '';
    if (open ? mark.startsWith(open) : mark) {
      cut(open !== '');
      open = open ? '' : mark;
    } else if (!open && line.trim() === '') cut(false);
    else lines.push(line);
  }
  cut(open !== '');
  return out;
}

/** The first max lines; what comes after flows on in the last one, so that the text is all there and its height bounded. */
export function fewLines(text: string, max: number): string {
  const lines = neutral(text).split('\n');
  if (lines.length <= max) return text;
  return [...lines.slice(0, max - 1), oneLine(lines.slice(max - 1).join('\n'))].join('\n');
}

/** A path with the person's home folder as ~. Windows paths keep their shape. */
export function shortPath(path: string, home: string): string {
  const p = oneLine(path);
  if (!home || (p !== home && !p.startsWith(`${home}/`) && !p.startsWith(`${home}\\`))) return p;
  return `~${p.slice(home.length)}`;
}

/** A path for a narrow place: its end, which tells folders apart, whole segments only. */
export function tailPath(path: string, max: number): string {
  if (countChars(path) <= max) return path;
  const parts = path.split('/');
  let tail = parts.pop() ?? '';
  while (parts.length > 0 && countChars(tail) + parts.at(-1)!.length + 3 <= max)
    tail = `${parts.pop()}/${tail}`;
  return `…/${tail}`;
}

/** Folder part and name of a path, so that the name can be the part that stays readable. */
export function splitPath(path: string): { folder: string; name: string } {
  const p = oneLine(path);
  const at = Math.max(p.lastIndexOf('/'), p.lastIndexOf('\\'));
  return { folder: p.slice(0, at + 1), name: p.slice(at + 1) };
}
