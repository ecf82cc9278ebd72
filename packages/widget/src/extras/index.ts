// What only a press or an attribute starts, in a file of its own: see elements/pulse-card/load-extras.ts.
export { cardPicture } from './card-picture.ts';
export { copyText } from './copy-text.ts';
export { enlargedTemplate, openEnlarged } from './enlarged-view.ts';
export { loadHistory } from './history.ts';
export { prepareAction, pressAction } from './press-action.ts';
