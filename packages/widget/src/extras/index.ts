// What only a press or an attribute starts, in a file of its own: see elements/pulse-card/load-extras.ts.
export { enlargedTemplate, openEnlarged } from './enlarged-view.ts';
