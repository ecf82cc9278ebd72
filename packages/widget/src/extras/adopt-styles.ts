import { actionStyles } from './action-styles.ts';
import { enlargedStyles } from './enlarged-styles.ts';
import { historyStyles } from './history-styles.ts';

let sheet: CSSStyleSheet | undefined;

/** Adds styles to a card, for the parts that only a press or an attribute starts. */
export function adoptStyles({ adoptedStyleSheets }: ShadowRoot): void {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(enlargedStyles.cssText + actionStyles.cssText + historyStyles.cssText);
  }
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
}
