import { CARD_HEIGHT, type Variant, variantOf } from '../elements/variants.ts';
import { ENGLISH } from '../i18n/messages.ts';
import { bffUrl, chartUrl, framePageUrl } from './addresses.ts';
import { escapeHtml, escapeName } from './escape-html.ts';
import type { SnippetOptions } from './snippet-options.ts';

/**
 * The space above the chart for the name and the finding, in `em`. The rest of the card's height is below the chart.
 */
const HEAD_EM: Readonly<Record<Variant, number>> = { card: 6.75, compact: 10, chart: 2.25, text: 10 };

/**
 * Returns the script and the card, with the content that the page shows until the card is ready. The `<div>` is for
 * layouts that limit the width of their children: until the script runs, the card is an inline element without a width.
 * The empty paragraph produces the margin that the page sets below paragraphs. Without it, the card's own margin would
 * move the page.
 */
export function cardSnippet(options: SnippetOptions): string {
  return [
    `<script type="module" src="${escapeHtml(bffUrl(options.baseUrl))}/pulse-card.js"></script>`,
    '<div>',
    `<pulse-card ${attributesOf(options).join(' ')}>`,
    ...placeholderOf(options).map((line) => `  ${line}`),
    '</pulse-card>',
    '<p></p>',
    '</div>',
    '',
  ].join('\n');
}

/**
 * Returns the card's content. SVGs reserve the card's space, because SVG attributes aren't inline styles. The first SVG
 * has a height in `em` and contains the name. The second SVG grows with the width and contains the chart at its final
 * position.
 */
export function placeholderOf(options: SnippetOptions): readonly string[] {
  const { isPrivate = false, picture = true, extraHeight = 0 } = options;
  const layout = variantOf(options.variant);
  const { chartRatio, em } = CARD_HEIGHT[layout];
  const head = HEAD_EM[layout];
  const hasChart = chartRatio > 0;
  const hasPicture = picture && !isPrivate && options.loading !== 'click';
  return [
    `<svg width="100%" height="${head + extraHeight}em" display="block">${framed(hasChart ? 'top' : 'all', options, titleOf(options))}</svg>`,
    ...(hasChart
      ? [
          hasPicture
            ? `<svg viewBox="0 0 1600 900" width="100%" display="block" role="img" aria-label="${nameOf(options)}">${framed('middle', options, chartWithin(options))}</svg>`
            : `<svg viewBox="0 0 1600 900" width="100%" display="block">${framed('middle', options)}</svg>`,
          `<svg width="100%" height="${em - head}em" display="block">${framed('bottom', options)}</svg>`,
        ]
      : []),
  ];
}

/**
 * The position and height of the card's border in each SVG. Each SVG shows only the part of the border that is inside
 * it.
 */
const FRAME = {
  all: 'y=".5" height="99.4%"',
  top: 'y=".5" height="200%"',
  middle: 'y="-50%" height="200%" vector-effect="non-scaling-stroke"',
  bottom: 'y="-101%" height="200%"',
} as const;

/** The colors before the card draws itself: the page's, or those of a card with a fixed scheme. */
function colorsOf({ theme }: SnippetOptions): { readonly text: string; readonly frame: string } {
  if (theme === 'light') return { text: '#5a6270', frame: 'fill="#fff" stroke="#e1e4e9"' };
  if (theme === 'dark') return { text: '#a0a8b6', frame: 'fill="#16191f" stroke="#2a2f39"' };
  return { text: 'currentColor', frame: 'fill="none" stroke="currentColor" stroke-opacity=".13"' };
}

/**
 * Adds a stand-in for a part of the card's border, until the card draws its own. With a fixed scheme, it has a
 * background and comes before the content. SVG lengths don't support `calc()`, so the border's position is 0.1%, about
 * half the width of the line. The `<rect>` has an end tag because feed sanitizers remove the slash from `<rect/>`.
 */
function framed(part: keyof typeof FRAME, options: SnippetOptions, content = ''): string {
  const { text, frame } = colorsOf(options);
  const rect = `<rect x=".1%" width="99.8%" ${FRAME[part]} rx=".75em" ${frame}></rect>`;
  return text === 'currentColor' ? content + rect : rect + content;
}

function attributesOf(options: SnippetOptions): readonly string[] {
  const { sourceId, name, aiReviewedBy, aiReviewedRun, theme = 'auto', loading = 'lazy' } = options;
  const layout = variantOf(options.variant);
  return [
    `source-id="${escapeHtml(sourceId)}"`,
    ...(layout === 'card' ? [] : [`variant="${layout}"`]),
    ...(name ? [`label="${escapeName(name)}"`] : []),
    ...(loading === 'lazy' ? [] : [`loading="${escapeHtml(loading)}"`]),
    ...(theme === 'auto' ? [] : [`theme="${escapeHtml(theme)}"`]),
    ...(aiReviewedBy ? [`ai-reviewed-by="${escapeName(aiReviewedBy)}"`] : []),
    ...(aiReviewedRun ? [`ai-reviewed-run="${escapeHtml(aiReviewedRun)}"`] : []),
  ];
}

/** The name and the label. A space must separate the two on sites that keep only the text. */
function titleOf(options: SnippetOptions): string {
  const title = options.isPrivate ? nameOf(options) : linkOf(options);
  const note = `<tspan dx="0.5em">${ENGLISH.aiGenerated}</tspan>`;
  return `<text x="1.25em" y="2.4em" font-size="0.8125em" direction="ltr" fill="${colorsOf(options).text}">${title} ${note}</text>`;
}

function linkOf(options: SnippetOptions): string {
  const { sourceId, baseUrl } = options;
  return `<a href="${escapeHtml(framePageUrl({ sourceId, baseUrl }))}" text-decoration="underline">${nameOf(options)}</a>`;
}

function nameOf({ name }: SnippetOptions): string {
  return escapeName(name || 'Chart');
}

/**
 * The chart in a 1600 by 900 space, as an `<img>` with an empty `alt`, which doesn't show anything if the chart can't
 * be loaded. An SVG `<image>` would show a broken-image icon as wide as the card. A `<video poster>` would scale
 * automatically, but overflows its space in WebKit.
 */
function chartWithin(options: SnippetOptions): string {
  const { chartRatio = 16 / 9, loading = 'lazy' } = options;
  const width = Math.round(chartRatio * 900);
  // Without the SVGs, 100% is the width of the column.
  const size = options.chartRatio ? 'width="100%"' : 'height="900"';
  const lazy = loading === 'lazy' ? ' loading="lazy"' : '';
  const image = `<img src="${escapeHtml(chartUrl(options))}" alt="" ${size}${lazy} />`;
  const chart = `<foreignObject width="${width}" height="900">${image}</foreignObject>`;
  if (width === 1600) return chart;
  return `<svg viewBox="0 0 ${width} 900" width="1600" height="900" preserveAspectRatio="xMidYMax">${chart}</svg>`;
}
