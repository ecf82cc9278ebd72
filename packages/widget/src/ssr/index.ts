export { cleanLine, cleanText } from '@pulse-card/contract/text';
export { plainText } from '../markdown/inline.ts';
export type { Variant } from '../elements/variants.ts';
export { CARD_HEIGHT, VARIANTS } from '../elements/variants.ts';
export { escapeHtml } from '../snippet/escape-html.ts';
export { type PulseAnswer, type PulseRefusal, renderPulseCard, type RenderOptions } from './render-pulse-card.ts';
export { STYLE_FILE } from './stylesheet.ts';
export { LANGUAGES, matchLanguage } from './translations.ts';
