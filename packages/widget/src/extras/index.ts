// The code that is loaded only for a press or an attribute. This code is in a separate file: see
// lazy/lazy-module.ts.
export { adoptStyles } from './adopt-styles.ts';
export { cardPicture } from './card-picture.ts';
export { copyText } from './copy-text.ts';
export { enlargedTemplate, openEnlarged } from './enlarged-view.ts';
export { historyTemplate, loadHistory } from './history.ts';
export { prepareAction, pressAction } from './press-action.ts';
