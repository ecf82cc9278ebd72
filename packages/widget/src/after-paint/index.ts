// Code that isn't needed until the first card is shown or has failed.
// It is in a separate file: see lazy/lazy-module.ts.
export { announce, silence } from './announcer.ts';
export { attach } from './attach.ts';
export { blockStyles as styles } from './block-styles.ts';
export { explainFailure } from './explain-failure.ts';
export { markdownTemplate } from './markdown-template.ts';
