import { actionStyles } from './action-styles.ts';
import { enlargedStyles } from './enlarged-styles.ts';
import { historyStyles } from './history-styles.ts';

let sheet: CSSStyleSheet | undefined;

/** Gives a card the styles for the parts that appear only after a press or because of an attribute. */
export function adoptStyles({ adoptedStyleSheets }: ShadowRoot): void {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(enlargedStyles.cssText + actionStyles.cssText + historyStyles.cssText);
  }
  if (!adoptedStyleSheets.includes(sheet)) adoptedStyleSheets.push(sheet);
}
