// Offsets on the wire count bytes of UTF-8; texts here are JavaScript strings.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Length of a text in bytes of UTF-8. */
export function byteLength(text: string): number {
  let n = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x80) n += 1;
    else if (c < 0x800) n += 2;
    else if (c >= 0xd800 && c <= 0xdbff && i + 1 < text.length) {
      n += 4;
      i++;
    } else n += 3;
  }
  return n;
}

/** The text without its first count bytes. A cut character is dropped whole. */
export function dropBytes(text: string, count: number): string {
  if (count <= 0) return text;
  const bytes = encoder.encode(text);
  let at = Math.min(count, bytes.length);
  while (at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at++;
  return decoder.decode(bytes.subarray(at));
}

/** A size in words a person reads: 9 MB, 1.2 GB. */
export function megabytes(bytes: number): string {
  const mb = bytes / 1e6;
  if (mb >= 1000) return `${(mb / 1000).toFixed(1)} GB`;
  return `${mb < 1 && bytes > 0 ? '<1' : Math.round(mb)} MB`;
}

/** A count of tokens, short: 61k, 1.2M. */
export function tokens(n: number): string {
  if (n < 1000) return String(n);
  if (n < 1e6) return `${n < 9950 ? (n / 1000).toFixed(1).replace(/\.0$/, '') : Math.round(n / 1000)}k`;
  return `${(n / 1e6).toFixed(1).replace(/\.0$/, '')}M`;
}
