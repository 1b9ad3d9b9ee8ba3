/** The address if it may be opened outside: http, https or mailto; "" for everything else. */
export function safeURL(url: string): string {
  try {
    const u = new URL(url);
    return u.protocol === 'https:' || u.protocol === 'http:' || u.protocol === 'mailto:' ? u.href : '';
  } catch {
    return '';
  }
}

/** A link cut at its host, which is the part that a person has to judge. */
export function hostParts(url: string): { before: string; host: string; after: string } {
  const safe = safeURL(url);
  if (!safe) return { before: '', host: '', after: url };
  const { host } = new URL(safe);
  // A name and password before the host would be read as the host.
  const at = safe.indexOf(host, safe.indexOf('//') + 2);
  return { before: safe.slice(0, at), host, after: safe.slice(at + host.length) };
}

/** Where a link leads, for showing beside its words; "" when those are the address themselves. */
export function addressBeside(words: string, href: string): string {
  const said = words.trim();
  if (said === href || safeURL(said) === href || safeURL(`https://${said}`) === href) return '';
  if (href.startsWith('mailto:')) return said === href.slice(7) ? '' : href.slice(7);
  return hostParts(href).host;
}
