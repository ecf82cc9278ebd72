const sheets = new Map<string, CSSStyleSheet>();

/** Adds `styles` to a shadow root, once. All shadow roots share one style sheet. */
export function adoptStyles({ adoptedStyleSheets }: ShadowRoot, styles: string): void {
  const sheet = sheets.get(styles) ?? new CSSStyleSheet();
  if (!sheets.has(styles)) sheet.replaceSync(styles);
  sheets.set(styles, sheet);
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
}
