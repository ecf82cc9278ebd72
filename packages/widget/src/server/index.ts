export type { Variant } from '../card-size.ts';
export { CARD_SIZE, VARIANTS } from '../card-size.ts';
export { type PulseAnswer, type PulseRefusal, renderPulseCard, type RenderOptions } from './render-pulse-card.ts';
export { STYLE_FILE } from './served-styles.ts';
export { LANGUAGES } from './served-words.ts';
export { cleanText } from '../clean-text.ts';
export { escapeHtml } from '../escape-html.ts';
