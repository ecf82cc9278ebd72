import { actionStyles } from './action-styles.ts';
import { enlargedStyles } from './enlarged-styles.ts';
import { historyStyles } from './history-styles.ts';

let sheet: CSSStyleSheet | undefined;

/** Adds the styles of the parts that only a press or an attribute shows to a card. */
export function adoptStyles({ adoptedStyleSheets }: ShadowRoot): void {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(enlargedStyles.cssText + actionStyles.cssText + historyStyles.cssText);
  }
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
}
