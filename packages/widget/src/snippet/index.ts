import { CARD_HEIGHT, type Variant, variantOf } from '../elements/variants.ts';
import { aiNote } from '../i18n/ai-note.ts';
import { ENGLISH } from '../i18n/messages.ts';
import { escapeHtml } from './escape-html.ts';

/** Pixels of an `em` on the page within an iframe. */
const FRAME_EM_PX = 16;

/** How wide an iframe is taken to be unless someone says so, in pixels. */
export const FRAME_WIDTH_PX = 600;

/** The room above the chart, for name and finding, in `em`; what is left of the height is below it. */
const HEAD_EM: Readonly<Record<Variant, number>> = { card: 6.75, compact: 10, chart: 2.25, text: 10 };

/** The options of a snippet. */
export interface SnippetOptions {
  readonly sourceId: string;
  /** The address of the BFF. */
  readonly baseUrl: string;
  /** The source's name, for readers without scripts and until the answer is there. @default 'Chart', without scripts alone */
  readonly name?: string | null;
  /** @default 'card' */
  readonly variant?: Variant;
  /** The reviewer of the texts; at most 32 characters. @default nobody */
  readonly aiReviewedBy?: string;
  /**
   * The width of the chart divided by its height, so that the chart is shown whole before the script is there.
   * @default 16/9; a narrower chart is whole, too, a wider one is cut at its end
   */
  readonly chartRatio?: number | undefined;
  /** Whether the pulse needs a token: chart and link, which cannot send one, are left out then. @default false */
  readonly isPrivate?: boolean;
  /** `frame` is an iframe, for pages that take no script of others. @default 'card' */
  readonly as?: 'card' | 'frame';
  /** Of an iframe, in pixels. @default all there is, in the height of one 600 wide */
  readonly width?: number;
  /** Of an iframe, in pixels. @default that of a folded card so wide */
  readonly height?: number;
  /** Of an iframe: `light` or `dark`, whatever its page is. @default 'auto' */
  readonly theme?: 'auto' | 'light' | 'dark';
  /** Of an iframe: the language of its words; see the BFF for those it knows. @default English */
  readonly language?: string;
  /** Of an iframe: the parameters of a look, as a query: `accent=b00020&radius=0`. @default the card's own look */
  readonly look?: string;
  /** Of an iframe: with the script that gives it the height of what it shows. @default true */
  readonly resizes?: boolean;
}

/**
 * HTML that shows a card, script tag included. It reserves the card's room, so that nothing on the page moves; it shows the
 * chart before the script is there; and it serves readers without scripts.
 */
export function snippetFor(options: SnippetOptions): string {
  return options.as === 'frame' ? frameSnippet(options) : cardSnippet(options);
}

/** The address of the page that shows a card with no script. */
export function framePageUrl({ sourceId, baseUrl, variant, theme = 'auto', language, look }: SnippetOptions): string {
  const query = new URLSearchParams();
  if (variantOf(variant) !== 'card') query.set('variant', variantOf(variant));
  if (theme !== 'auto') query.set('theme', theme);
  if (language) query.set('lang', language);
  for (const [name, value] of new URLSearchParams(look)) query.set(name, value);
  return `${trimmed(baseUrl)}/embed/${encodeURIComponent(sourceId)}${query.size > 0 ? `?${query}` : ''}`;
}

/** The address of the latest chart of a source. */
export function chartUrl({ sourceId, baseUrl }: Pick<SnippetOptions, 'sourceId' | 'baseUrl'>): string {
  return `${trimmed(baseUrl)}/v1/sources/${encodeURIComponent(sourceId)}/image`;
}

/** How high a folded card is in an iframe so wide, in pixels. */
export function frameHeightPx(widthPx: number, variant?: Variant): number {
  const { chartRatio, em } = CARD_HEIGHT[variantOf(variant)];
  return Math.ceil(chartRatio * widthPx + em * FRAME_EM_PX);
}

/**
 * Two SVGs keep the room, as attributes of SVG are no inline style: one in `em` with the name, one that grows with the
 * width, with the chart where the card will have it.
 */
function cardSnippet(options: SnippetOptions): string {
  const { sourceId, baseUrl, variant, isPrivate = false } = options;
  const name = escapeHtml(options.name || 'Chart');
  const layout = variantOf(variant);
  const { chartRatio, em } = CARD_HEIGHT[layout];
  const head = HEAD_EM[layout];
  const attributes = [
    `source-id="${escapeHtml(sourceId)}"`,
    ...(layout === 'card' ? [] : [`variant="${layout}"`]),
    ...(options.name ? [`label="${name}"`] : []),
    ...(options.aiReviewedBy ? [`ai-reviewed-by="${escapeHtml(options.aiReviewedBy)}"`] : []),
  ];
  const link = `<a href="${escapeHtml(framePageUrl({ sourceId, baseUrl }))}" text-decoration="underline">${name}</a>`;
  const note = `<tspan dx="0.75em">${escapeHtml(aiNote(ENGLISH, options.aiReviewedBy ?? ''))}</tspan>`;
  const title = `<text x="1.25em" y="2.4em" font-size="0.8125em" direction="ltr" fill="currentColor">${isPrivate ? name : link}${note}</text>`;
  return [
    `<script type="module" src="${escapeHtml(trimmed(baseUrl))}/pulse-card.js"></script>`,
    `<pulse-card ${attributes.join(' ')}>`,
    `  <svg width="100%" height="${head}em" display="block">${title}</svg>`,
    ...(chartRatio > 0
      ? [
          isPrivate
            ? '  <svg viewBox="0 0 1600 900" width="100%" display="block"></svg>'
            : `  <svg viewBox="0 0 1600 900" width="100%" display="block" role="img" aria-label="${name}">${chartWithin(options)}</svg>`,
          `  <svg width="100%" height="${em - head}em" display="block"></svg>`,
        ]
      : []),
    '</pulse-card>',
    '',
  ].join('\n');
}

/**
 * The chart in a room of 1600 by 900. An SVG `<image>` that fails is a broken-image icon as wide as the card; an `<img>` with
 * neither words nor both sizes is nothing. A `<video poster>` would fit by itself, but breaks out of its room in WebKit.
 */
function chartWithin(options: SnippetOptions): string {
  const { chartRatio = 16 / 9 } = options;
  const width = Math.round(chartRatio * 900);
  // Style sheets that set `img { height: auto }` leave the width as it is.
  const size = options.chartRatio ? `width="${width}"` : 'height="900"';
  const image = `<img src="${escapeHtml(chartUrl(options))}" alt="" ${size} loading="lazy">`;
  const chart = `<foreignObject width="${width}" height="900">${image}</foreignObject>`;
  if (width === 1600) return chart;
  return `<svg viewBox="0 0 ${width} 900" width="1600" height="900" preserveAspectRatio="xMidYMax">${chart}</svg>`;
}

/** The options of the snippet of a board. */
export interface BoardSnippetOptions {
  /** The address of the BFF. */
  readonly baseUrl: string;
  /** The text until the list has loaded, and for readers without scripts. @default 'Charts' */
  readonly name?: string | null;
  /** Sources whose charts readers without scripts are led to, each with its name. @default none */
  readonly sources?: readonly { readonly id: string; readonly name: string | null }[] | undefined;
  /** The provider whose sources are listed. @default all */
  readonly provider?: string | undefined;
  /** The most columns, 1 to 6. @default as many as fit */
  readonly columns?: number | undefined;
  /** How the cards are laid out. @default 'card' */
  readonly variant?: Variant | undefined;
}

/** HTML that shows a board, script tag included; it reserves a screen, as nobody knows how high a list gets. */
export function boardSnippetFor(options: BoardSnippetOptions): string {
  const { baseUrl, name, sources = [], provider, columns, variant } = options;
  const layout = variantOf(variant);
  const attributes = Object.entries({ provider, columns, variant: layout === 'card' ? '' : layout })
    .filter(([, value]) => value)
    .map(([attribute, value]) => ` ${attribute}="${escapeHtml(String(value))}"`);
  return [
    `<script type="module" src="${escapeHtml(trimmed(baseUrl))}/pulse-board.js"></script>`,
    `<pulse-board${attributes.join('')}>`,
    '  <svg width="100%" height="100vh" display="block">',
    `    <text x="1.25em" y="1.5em" direction="ltr" fill="currentColor">${escapeHtml(name || 'Charts')}</text>`,
    ...sources.map((source, index) => chartLink(source, { baseUrl, yEm: 3.5 + 1.75 * index })),
    '  </svg>',
    '</pulse-board>',
    '',
  ].join('\n');
}

function chartLink(
  { id, name }: { readonly id: string; readonly name: string | null },
  { baseUrl, yEm }: { readonly baseUrl: string; readonly yEm: number },
): string {
  const url = framePageUrl({ sourceId: id, baseUrl });
  return `    <a href="${escapeHtml(url)}"><text x="1.25em" y="${yEm}em" direction="ltr" fill="currentColor" text-decoration="underline">${escapeHtml(name || 'Chart')}</text></a>`;
}

/** The page within may run its own scripts and be of its own origin, which is another than that of the page around; no more. */
function frameSnippet(options: SnippetOptions): string {
  const { baseUrl, name, variant, width, height = frameHeightPx(width ?? FRAME_WIDTH_PX, variant) } = options;
  // The end of the address has the page say how high it is.
  const secret = options.resizes === false ? '' : '#?secret=pulse';
  const attributes = [
    `src="${escapeHtml(framePageUrl(options) + secret)}"`,
    `title="${escapeHtml(name || 'Chart')}"`,
    `width="${width === undefined ? '100%' : pixels(width)}"`,
    `height="${pixels(height)}"`,
    'loading="lazy"',
    'frameborder="0"',
    'sandbox="allow-scripts allow-same-origin"',
  ];
  const frame = `<iframe ${attributes.join(' ')}></iframe>`;
  if (options.resizes === false) return `${frame}\n`;
  return `${frame}\n<script type="module" src="${escapeHtml(trimmed(baseUrl))}/pulse-frame.js"></script>\n`;
}

function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '');
}

function pixels(value: number): number {
  if (!(value > 0 && value < 100_000)) throw new RangeError(`Cannot make an iframe: its size is ${value}`);
  return Math.round(value);
}
