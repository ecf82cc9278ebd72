// Code that is loaded only when a button or an attribute needs it. It is in a separate file: see lazy/lazy-module.ts.
import { actionStyles } from './action-styles.ts';
import { actionsTemplate } from './actions-template.ts';
import { enlargedStyles } from './enlarged-styles.ts';
import { enlargedTemplate } from './enlarged-view.ts';
import { historyStyles } from './history-styles.ts';
import { historyTemplate } from './history.ts';
import type { ShownCard } from '../elements/pulse-card/shown-card.ts';

export { cardPicture } from './card-picture.ts';
export { copyText } from './copy-text.ts';
export { enlarge } from './enlarged-view.ts';
export { loadHistory } from './history.ts';

/** The styles for the parts that appear only after a click or when an attribute is set. */
export const styles: string = enlargedStyles + actionStyles + historyStyles;

/** The templates for these parts. */
export const templates: Readonly<Record<'actions' | 'enlarged' | 'history', (card: ShownCard) => unknown>> = {
  actions: actionsTemplate,
  enlarged: enlargedTemplate,
  history: historyTemplate,
};
