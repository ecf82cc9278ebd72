// The code that is loaded only for a press or an attribute. This code is in a separate file: see
// lazy/lazy-module.ts.
import { actionStyles } from './action-styles.ts';
import { enlargedStyles } from './enlarged-styles.ts';
import { historyStyles } from './history-styles.ts';

export { cardPicture } from './card-picture.ts';
export { copyText } from './copy-text.ts';
export { enlargedTemplate, openEnlarged } from './enlarged-view.ts';
export { historyTemplate, loadHistory } from './history.ts';
export { prepareAction, pressAction } from './press-action.ts';

/** The styles of the parts that appear only after a press or because of an attribute. */
export const styles: string = enlargedStyles + actionStyles + historyStyles;
