const written = new Set<string>();

/** Logs one line for the page's developer. The same line is logged only once per page. */
export function warnOnce(line: string): void {
  // eslint-disable-next-line no-console -- the lines that a developer should see
  if (!written.has(line)) console.warn(`pulse-card: ${line}`);
  written.add(line);
}
