import { CARD_HEIGHT, type Variant, variantOf } from '../elements/variants.ts';
import { bffUrl, framePageUrl } from './addresses.ts';
import { escapeHtml, escapeName } from './escape-html.ts';
import type { SnippetOptions } from './snippet-options.ts';

/** The size of an `em` on an iframe's page, in pixels. */
const FRAME_EM_PX = 16;

/** The default width of an iframe, in pixels. */
export const FRAME_WIDTH_PX = 600;

/** Lets the page in the frame run its own scripts in its own origin, and open its links as ordinary tabs. */
const SANDBOX = 'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox';

/** Uppercase because React and MDX reject a string value for `style`; HTML isn't case-sensitive. */
const FILLS_WRAPPER = 'position:absolute;top:0;left:0;width:100%;height:100%';

/** The height of a collapsed card in an iframe of this width, in pixels. */
export function frameHeightPx(widthPx: number, variant?: Variant, extraHeight = 0): number {
  const { chartRatio, em } = CARD_HEIGHT[variantOf(variant)];
  return Math.ceil(chartRatio * widthPx + (em + extraHeight) * FRAME_EM_PX);
}

/** A frame can't tell whether the page around it is light or dark, so its URL always contains `light` or `dark`. */
export function frameThemeOf(theme: SnippetOptions['theme']): 'light' | 'dark' {
  return theme === 'dark' ? 'dark' : 'light';
}

/**
 * Returns an iframe. If it takes up the full width, either a wrapper reserves the height for that width, or a script
 * sets the height.
 */
export function frameSnippet(options: SnippetOptions): string {
  const { baseUrl, name, variant, width, extraHeight, resizes = false } = options;
  const { height = frameHeightPx(width ?? FRAME_WIDTH_PX, variant, extraHeight) } = options;
  const isWrapped = !resizes && width === undefined && options.height === undefined;
  // If its URL ends with this, the page in the frame sends its height.
  const secret = resizes ? '#?secret=pulse' : '';
  const theme = frameThemeOf(options.theme);
  const url = framePageUrl({ ...options, theme });
  const attributes = [
    `src="${escapeHtml(url + secret)}"`,
    `title="${escapeName(name || 'Chart')}"`,
    `width="${width === undefined ? '100%' : pixels(width)}"`,
    `height="${pixels(height)}"`,
    // If the color schemes of a frame and its page differ, browsers paint an opaque canvas behind the rounded corners.
    ...(isWrapped ? [`STYLE="${FILLS_WRAPPER};color-scheme:${theme}"`] : []),
    'loading="lazy"',
    'frameborder="0"',
    `sandbox="${SANDBOX}"`,
  ];
  const frame = `<iframe ${attributes.join(' ')}></iframe>`;
  if (isWrapped)
    return `<div><div STYLE="position:relative;padding-top:${paddingOf(variant, extraHeight)};margin-bottom:1em">${frame}</div></div>\n`;
  if (!resizes) return `${frame}\n`;
  return `${frame}\n<script type="module" src="${escapeHtml(bffUrl(baseUrl))}/pulse-frame.js"></script>\n`;
}

/**
 * The height of the collapsed card as CSS padding. Padding percentages refer to the width of the outer `<div>`, which a
 * layout might limit.
 */
function paddingOf(variant: Variant | undefined, extraHeight = 0): string {
  const { chartRatio, em } = CARD_HEIGHT[variantOf(variant)];
  const fixedPx = Math.ceil((em + extraHeight) * FRAME_EM_PX);
  return chartRatio === 0 ? `${fixedPx}px` : `calc(${chartRatio * 100}% + ${fixedPx}px)`;
}

function pixels(value: number): number {
  if (!(value > 0 && value < 100_000)) throw new RangeError(`Can’t create an iframe: its size is ${value}`);
  return Math.round(value);
}
