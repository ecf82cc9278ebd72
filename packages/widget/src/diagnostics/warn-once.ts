const written = new Set<string>();

/** Logs one line for the page's developer. The same line is logged only once per page. */
export function warnOnce(line: string): void {
  // eslint-disable-next-line no-console -- lines meant for the page's developer
  if (!written.has(line)) console.warn(`pulse-card: ${line}`);
  written.add(line);
}
