// JSON with comments as an editor sees it: pieces to colour, and where in the
// file a place is. What the text means is the back end's to say. Pure.

/** Keys, texts, other values, comments, and all that is between. */
export type Kind = 'key' | 'text' | 'word' | 'note' | 'sign';

export interface Piece {
  kind: Kind;
  text: string;
  /** Offset of its first character. */
  at: number;
}

const token = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\.|[^"\\\n])*"?|[\w.+-]+|\s+|[\s\S]/gy;

/** Cuts a text into pieces; put together again they are the text, whatever it is. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  for (const m of text.matchAll(token)) {
    const [piece] = m;
    let kind: Kind = 'sign';
    if (piece.startsWith('//') || piece.startsWith('/*')) kind = 'note';
    else if (piece.startsWith('"')) kind = /^\s*:/.test(text.slice(m.index + piece.length)) ? 'key' : 'text';
    else if (/^[\w.+-]/.test(piece)) kind = 'word';
    out.push({ kind, text: piece, at: m.index });
  }
  return out;
}

/** The pieces of each line, without its break. */
export function lines(text: string): Piece[][] {
  const out: Piece[][] = [[]];
  for (const p of pieces(text)) {
    const parts = p.text.split('\n');
    let { at } = p;
    parts.forEach((part, n) => {
      if (n > 0) out.push([]);
      if (part) out.at(-1)!.push({ kind: p.kind, text: part.replace(/\r$/, ''), at });
      at += part.length + 1;
    });
  }
  return out;
}

/** Offset of a line and column, both from 1, columns in characters as the back end counts them. */
export function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let n = 1; n < line; n++) {
    const next = text.indexOf('\n', at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  const end = text.indexOf('\n', at);
  const chars = Array.from(text.slice(at, end < 0 ? text.length : end));
  return at + chars.slice(0, column - 1).join('').length;
}

/** The names that lead to a place, such as ["servers", "docs", "timeout"]. */
export function pathAt(text: string, caret: number): string[] {
  const stack: (string | null)[] = [];
  let key: string | null = null;
  for (const p of pieces(text)) {
    if (p.at > caret) break;
    if (p.kind === 'key') key = nameOf(p.text);
    if (p.kind !== 'sign' || p.at + p.text.length > caret) continue;
    if (p.text === '{' || p.text === '[') {
      stack.push(key);
      key = null;
    } else if (p.text === '}' || p.text === ']') {
      stack.pop();
      key = null;
    } else if (p.text === ',') key = null;
  }
  return [...stack, key].filter((k): k is string => k !== null);
}

function nameOf(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.replace(/^"|"$/g, '');
  }
}

/** A repair that is certain, or null: what to put in place of which part. */
export interface Repair {
  from: number;
  to: number;
  put: string;
}

/** The repair of a problem at an offset: a duration that wants quotes. */
export function repairAt(text: string, offset: number): Repair | null {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', offset);
  const line = text.slice(start, end < 0 ? text.length : end);
  const bare = /("timeout"\s*:\s*)(\d+(?:\.\d+)?)\s*(ms|s|m|h)\b/.exec(line);
  if (!bare) return null;
  const from = start + bare.index + bare[1]!.length;
  const to = start + bare.index + bare[0].length;
  return { from, to, put: `"${bare[2]}${bare[3]}"` };
}
