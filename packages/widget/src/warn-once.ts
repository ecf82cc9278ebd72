const warned = new Set<string>();

/** Tells the page's developer once; `kind` is what must not be said twice. */
export function warnOnce(kind: string, text: string): void {
  if (warned.has(kind)) return;
  warned.add(kind);
  // eslint-disable-next-line no-console -- the one line a developer should see
  console.warn(`pulse-card: ${text}`);
}
