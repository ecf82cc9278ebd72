import { cardSnippet } from './card-snippet.ts';
import { frameSnippet } from './frame-snippet.ts';
import type { SnippetOptions } from './snippet-options.ts';

export { chartUrl, framePageUrl } from './addresses.ts';
export { plainText } from '../markdown/inline.ts';
export { cleanName, escapeHtml, escapeName } from './escape-html.ts';
export { type BoardSnippetOptions, boardSnippetFor } from './board-snippet.ts';
export { FRAME_COLORS, FRAME_FONTS } from './frame-look.ts';
export { FRAME_WIDTH_PX, frameHeightPx, frameThemeOf } from './frame-snippet.ts';
export type { SnippetOptions } from './snippet-options.ts';

/**
 * Returns HTML that shows a card, including the script tag. It reserves the card's space, so that nothing on the page
 * moves, and shows the chart before the script has loaded and when JavaScript is disabled. Throws if `baseUrl` isn't an
 * `http:` or `https:` URL, or if a size is out of range.
 */
export function snippetFor(options: SnippetOptions): string {
  const { extraHeight = 0 } = options;
  if (!(extraHeight >= 0 && extraHeight <= MAX_EXTRA_EM))
    throw new RangeError(`Can’t create a snippet: extraHeight is ${extraHeight}. Use 0 to ${MAX_EXTRA_EM} (em)`);
  return options.as === 'frame' ? frameSnippet(options) : cardSnippet(options);
}

/** The maximum extra height of a collapsed card, in `em`. */
const MAX_EXTRA_EM = 100;
