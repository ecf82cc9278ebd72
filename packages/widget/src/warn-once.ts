let warned = false;

/** Tells the page's developer what is wrong: one line, once, whatever else goes wrong. */
export function warnOnce(text: string): void {
  // eslint-disable-next-line no-console -- the one line a developer should see
  if (!warned) console.warn(`pulse-card: ${text}`);
  warned = true;
}
