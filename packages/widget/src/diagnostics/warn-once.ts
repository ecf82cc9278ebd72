const written = new Set<string>();

/** Writes one line for the page's developer; the same line only once a page. */
export function warnOnce(line: string): void {
  // eslint-disable-next-line no-console -- the lines that a developer should see
  if (!written.has(line)) console.warn(`pulse-card: ${line}`);
  written.add(line);
}
