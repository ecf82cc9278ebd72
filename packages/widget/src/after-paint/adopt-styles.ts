import { blockStyles } from './block-styles.ts';

let sheet: CSSStyleSheet | undefined;

/** Gives a card the styles of Markdown's blocks. */
export function adoptStyles({ adoptedStyleSheets }: ShadowRoot): void {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(blockStyles.cssText);
  }
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
}
