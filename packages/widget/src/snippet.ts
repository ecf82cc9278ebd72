import { CARD_SIZE, variantOf, type Variant } from './card-size.ts';
import { escapeHtml } from './escape-html.ts';

/** Pixels of an `em` on the page within a frame. */
const FRAME_EM_PX = 16;

/** How wide a frame is taken to be unless someone says so, in pixels. */
export const FRAME_WIDTH_PX = 600;

/** What a snippet is made for. */
export interface SnippetOptions {
  readonly sourceId: string;
  /** The address of the BFF. */
  readonly baseUrl: string;
  /** The source's name, for readers without scripts. @default 'Chart' */
  readonly name?: string | null;
  /** @default 'card' */
  readonly variant?: Variant;
  /** `frame` is an iframe, for pages that take no script of others. @default 'card' */
  readonly as?: 'card' | 'frame';
  /** Of a frame, in pixels. @default all there is, in the height of one 600 wide */
  readonly width?: number;
  /** Of a frame, in pixels. @default that of a folded card so wide */
  readonly height?: number;
  /** Of a frame: `light` or `dark`, whatever its page is. @default 'auto' */
  readonly theme?: 'auto' | 'light' | 'dark';
  /** Of a frame: the language of its words; see the BFF for those it knows. @default English */
  readonly language?: string;
  /** Of a frame: with the script that gives the frame the height of what it shows. @default true */
  readonly resizes?: boolean;
}

/** HTML that shows a card, script tag included; it reserves the card's room and serves readers without scripts. */
export function snippetFor(options: SnippetOptions): string {
  return options.as === 'frame' ? frameSnippet(options) : cardSnippet(options);
}

/** The address of the page that shows a card with no script. */
export function framePageUrl({ sourceId, baseUrl, variant, theme = 'auto', language }: SnippetOptions): string {
  const query = new URLSearchParams();
  if (variantOf(variant) !== 'card') query.set('variant', variantOf(variant));
  if (theme !== 'auto') query.set('theme', theme);
  if (language) query.set('lang', language);
  return `${baseOf(baseUrl)}/embed/${encodeURIComponent(sourceId)}${query.size > 0 ? `?${query}` : ''}`;
}

/** How high a folded card is in a frame so wide, in pixels. */
export function frameHeightPx(widthPx: number, variant?: Variant): number {
  const { chart, rows } = CARD_SIZE[variantOf(variant)];
  return Math.ceil((chart * widthPx * 9) / 16 + rows * FRAME_EM_PX);
}

function cardSnippet({ sourceId, baseUrl, name, variant }: SnippetOptions): string {
  const layout = variantOf(variant);
  const { chart, rows } = CARD_SIZE[layout];
  const base = baseOf(baseUrl);
  const page = escapeHtml(framePageUrl({ sourceId, baseUrl }));
  const attributes = `source-id="${escapeHtml(sourceId)}"${layout === 'card' ? '' : ` variant="${layout}"`}`;
  return [
    `<script type="module" src="${escapeHtml(base)}/pulse-card.js"></script>`,
    `<pulse-card ${attributes}>`,
    ...(chart ? ['  <svg viewBox="0 0 1600 900" width="100%" display="block"></svg>'] : []),
    `  <svg width="100%" height="${rows}em" display="block"><a href="${page}"><text x="1.25em" y="1.5em" direction="ltr" fill="LinkText" text-decoration="underline">${escapeHtml(name || 'Chart')}</text></a></svg>`,
    '</pulse-card>',
    '',
  ].join('\n');
}

/** What a board's snippet is made for. */
export interface BoardSnippetOptions {
  /** The address of the BFF. */
  readonly baseUrl: string;
  /** What stands there until the list has come, and for readers without scripts. @default 'Charts' */
  readonly name?: string | null;
  /** The provider whose sources are listed. @default all */
  readonly provider?: string | undefined;
  /** The most columns, 1 to 6. @default 3 */
  readonly columns?: number | undefined;
  /** How the cards are laid out. @default 'card' */
  readonly variant?: Variant | undefined;
}

/** HTML that shows a board, script tag included; it reserves a screen, as nobody knows how high a list gets. */
export function boardSnippetFor({ baseUrl, name, provider, columns, variant }: BoardSnippetOptions): string {
  const layout = variantOf(variant);
  const attributes = Object.entries({ provider, columns, variant: layout === 'card' ? '' : layout })
    .filter(([, value]) => value)
    .map(([attribute, value]) => ` ${attribute}="${escapeHtml(String(value))}"`);
  return [
    `<script type="module" src="${escapeHtml(baseOf(baseUrl))}/pulse-card.js"></script>`,
    `<pulse-board${attributes.join('')}>`,
    `  <svg width="100%" height="100vh" display="block"><text x="1.25em" y="1.5em" direction="ltr" fill="currentColor">${escapeHtml(name || 'Charts')}</text></svg>`,
    '</pulse-board>',
    '',
  ].join('\n');
}

/** The page within may run its own scripts and be of its own origin, which is another than that of the page around; no more. */
function frameSnippet(options: SnippetOptions): string {
  const { baseUrl, name, variant, width, height = frameHeightPx(width ?? FRAME_WIDTH_PX, variant) } = options;
  const attributes = [
    `src="${escapeHtml(framePageUrl(options))}"`,
    `title="${escapeHtml(name || 'Chart')}"`,
    `width="${width === undefined ? '100%' : pixels(width)}"`,
    `height="${pixels(height)}"`,
    'loading="lazy"',
    'frameborder="0"',
    'sandbox="allow-scripts allow-same-origin"',
  ];
  const frame = `<iframe ${attributes.join(' ')}></iframe>`;
  if (options.resizes === false) return `${frame}\n`;
  return `${frame}\n<script type="module" src="${escapeHtml(baseOf(baseUrl))}/pulse-frame.js"></script>\n`;
}

function baseOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

function pixels(value: number): number {
  if (!(value > 0 && value < 100_000)) throw new RangeError(`Cannot make a frame: its size is ${value}`);
  return Math.round(value);
}
