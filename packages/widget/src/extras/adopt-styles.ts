import { actionStyles } from './action-styles.ts';
import { enlargedStyles } from './enlarged-styles.ts';

let sheet: CSSStyleSheet | undefined;

/** Adds the styles of what only a press starts to a card. */
export function adoptStyles({ adoptedStyleSheets }: ShadowRoot): void {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(enlargedStyles.cssText + actionStyles.cssText);
  }
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
}
