import { canPolicyName, type PublicPulse, type PulseAnswer } from '@pulse-card/contract';
import {
  cleanLine,
  cleanText,
  escapeHtml,
  plainText,
  type PulseRefusal,
  renderPulseCard,
  STYLE_FILE,
  matchLanguage,
  VARIANTS,
  type Variant,
} from '@pulse-card/widget/server';
import { framePageUrl } from '@pulse-card/widget/snippet';
import { type FrameTheme, frameThemeOf, styleHashOf } from './frame-theme.ts';

/** The options for a frame page. Each option accepts a fixed list of values. */
export interface FrameOptions extends FrameTheme {
  readonly variant: Variant;
  readonly language: string;
  /** The earlier run that the page shows. @default the page shows the latest run */
  readonly version?: string | undefined;
}

/** Reads the options from `query`. Unknown names and values are ignored. */
export function frameOptionsOf(query: URLSearchParams): FrameOptions {
  return {
    variant: VARIANTS.find((variant) => variant === query.get('variant')) ?? 'card',
    language: matchLanguage(query.get('lang') ?? '') ?? 'en',
    ...frameThemeOf(query),
  };
}

/**
 * The name of a source's body with these options. Undefined with a custom theme: anyone can invent any number of themes,
 * so such bodies aren't cached.
 */
export function bodyNameOf(kind: string, sourceId: string, options: FrameOptions): string | undefined {
  const { css, version, variant, language, theme, chartTheme } = options;
  return css === '' ? [kind, sourceId, version, variant, language, theme, chartTheme].join(' ') : undefined;
}

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(['ar', 'he']);

/** The length at which sites truncate a description in link previews, in characters. */
const DESCRIPTION_LENGTH = 300;

/** A chart's size, in pixels. */
export type ChartSize = Readonly<Record<'width' | 'height', number>>;

/** What a page shows, and the server that it is on. */
export interface FramePulse {
  readonly sourceId: string;
  readonly answer: PulseAnswer;
  /** Undefined until the chart is read. */
  readonly chartSize?: ChartSize | undefined;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  /** The hash in the name of the card's script; undefined if the script isn't built. */
  readonly scriptHash: string | undefined;
  /** Whether the page is a file on a static host. Static hosts don't support oEmbed. @default false */
  readonly isStatic?: boolean;
  /**
   * Whether every reader may see the pulse. If so, a page that frames this one may read its height, and browsers may
   * store the page.
   */
  readonly isPublic: boolean;
}

/**
 * A complete page that shows a pulse, with or without scripts. Wherever someone pastes the page's URL, a link preview
 * appears.
 */
export function framePage(page: FramePulse, options: FrameOptions): string {
  const { sourceId, answer, scriptHash, isPublic } = page;
  const { pulse, source } = answer;
  const isVersion = options.version !== undefined;
  const meta = [...(isPublic ? [SIZED_BY_CONTENT] : []), ...metaOf(page, options)];
  // The element would replace an earlier run with the latest run.
  const scripts = scriptHash === undefined || isVersion ? [] : [`pulse-card-${scriptHash}.js`];
  // A chart and a finding share a frame's space.
  const fill = options.variant !== 'chart' && pulse.imageUrl !== null && descriptionOf(pulse) !== '';
  const card = renderPulseCard(answer, { ...options, ...ON_A_PAGE, sourceId, isPublic, isVersion, fill });
  return htmlOf(options, { title: titleOf(pulse.sourceName, source.name), meta, scripts, card });
}

/** The options for every card on a page. */
const ON_A_PAGE = { headingLevel: 2, styleHref: `../${STYLE_FILE}` };

/**
 * Lets the browser report the height of the collapsed card to the page that contains the frame (CSS Sizing 4, section
 * 5.3). Chromium 154 and later require `allow-origins`. The page's policy decides which origins may frame it at all.
 */
const SIZED_BY_CONTENT = '<meta name="responsive-embedded-sizing" content="allow-origins=*">';

/**
 * A page that explains why there is no pulse. It doesn't repeat anything from the request. It reloads itself after
 * `retryAfterSeconds`, unless a reload wouldn't help.
 */
export function frameErrorPage(
  { retryAfterSeconds: seconds, ...failure }: PulseRefusal & { readonly retryAfterSeconds: number | undefined },
  options: FrameOptions,
): string {
  const meta = seconds === undefined ? [] : [`<meta http-equiv="refresh" content="${seconds}">`];
  const card = renderPulseCard(failure, { ...options, ...ON_A_PAGE, sourceId: '', embedData: false });
  return htmlOf(options, { title: titleOf(failure.source?.name), meta, scripts: [], card });
}

/** A page's parts. */
type Parts = Readonly<{ title: string; meta: readonly string[]; scripts: readonly string[]; card: string }>;

function htmlOf({ language, theme, css }: FrameOptions, { title, meta, scripts, card }: Parts): string {
  return `<!doctype html>
<html lang="${language}" dir="${RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr'}" class="framed">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="${theme === 'auto' ? 'light dark' : theme}">
<title>${escapeHtml(title)}</title>
${meta.join('\n')}
<link rel="icon" href="../pulse-icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="../${STYLE_FILE}">
${css === '' ? '' : `<style>${css}</style>\n`}${[...scripts, 'pulse-frame-page.js'].map((file) => `<script type="module" src="../${file}"></script>`).join('\n')}
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${card}
</main>
</body>
</html>
`;
}

/** The first name that has visible characters, as one line of clean text. */
export function titleOf(...names: readonly (string | null | undefined)[]): string {
  return names.map((name) => cleanLine(name ?? '', 200)).find(Boolean) ?? 'Chart';
}

/**
 * The label before a finding in oEmbed and Open Graph. The label is in English and never names a reviewer, because a
 * URL can't specify one.
 */
export const AI_GENERATED = 'AI-generated';

/** The site name in Open Graph and the provider name in oEmbed. */
export const SITE_NAME = 'Pulse Card';

/**
 * The short summary without its markup; empty if there is none. It is cleaned first, as in the card, because an
 * invisible character next to a `*` would turn the `*` into markup.
 */
export function descriptionOf({ aiSummaryShort }: PublicPulse): string {
  return cleanLine(plainText(cleanText(aiSummaryShort ?? '', Infinity)), DESCRIPTION_LENGTH);
}

/**
 * The description, oEmbed discovery (oEmbed 1.0, section 4), Open Graph and Twitter tags, and labels for machines.
 * URLs are absolute.
 */
function metaOf(shown: FramePulse, options: FrameOptions): readonly string[] {
  const { sourceId, answer, publicUrl, isStatic, chartSize } = shown;
  const { pulse } = answer;
  const title = titleOf(pulse.sourceName, answer.source.name);
  const finding = descriptionOf(pulse);
  const description = finding && `${AI_GENERATED}: ${finding}`;
  const { version } = options;
  const frame = frameOf(sourceId, publicUrl, options);
  const run = version === undefined ? '' : `run=${encodeURIComponent(version)}`;
  const page = framePageUrl({ ...frame, look: run });
  const oembed = `${publicUrl}/oembed?url=${encodeURIComponent(framePageUrl(frame))}&format=json`;
  const image = pulse.imageUrl ?? '';
  const hasTexts = Boolean(finding || pulse.aiSummaryLong);
  const lines = [
    tag('name', 'description', description),
    `<link rel="canonical" href="${escapeHtml(page)}">`,
    isStatic || version !== undefined
      ? ''
      : `<link rel="alternate" type="application/json+oembed" href="${escapeHtml(oembed)}" title="${escapeHtml(title)}">`,
    tag('property', 'og:type', 'website'),
    tag('property', 'og:site_name', SITE_NAME),
    tag('property', 'og:url', page),
    tag('property', 'og:title', title),
    tag('property', 'og:description', description),
    tag('property', 'og:image', image),
    tag('property', 'og:image:width', image && String(chartSize?.width ?? '')),
    tag('property', 'og:image:height', image && String(chartSize?.height ?? '')),
    tag('property', 'og:image:alt', image && (description || title)),
    tag('name', 'twitter:card', image ? 'summary_large_image' : 'summary'),
    // A pulse's text is always AI-generated: https://www.w3.org/community/ai-content-disclosure/
    tag('name', 'ai-disclosure', hasTexts ? 'ai-autonomous' : ''),
    structuredData(page, { title, finding, pulse }),
  ];
  return lines.filter((line) => line !== '');
}

/**
 * JSON-LD that describes how the chart and the finding were created: the chart was drawn from data, and a trained model
 * wrote the text (IPTC vocabulary in schema.org). It is a data block, so no script policy applies to it. Empty if the
 * pulse has neither.
 */
function structuredData(
  url: string,
  { title, finding, pulse }: { title: string; finding: string; pulse: PublicPulse },
) {
  const { imageUrl, completedAt } = pulse;
  const madeBy = (source: string) => ({ digitalSourceType: `https://schema.org/${source}DigitalSource` });
  const text = finding && { '@type': 'TextObject', text: finding, ...madeBy('TrainedAlgorithmicMedia') };
  const shared = { name: title, url, ...(completedAt && { dateCreated: completedAt }) };
  const about = text && { description: text };
  const chart = { '@type': 'ImageObject', ...shared, contentUrl: imageUrl, ...madeBy('DataDrivenMedia'), ...about };
  const described = imageUrl ? chart : text && { ...text, ...shared };
  if (!described) return '';
  const json = JSON.stringify({ '@context': 'https://schema.org', ...described });
  // The text is escaped, so that it can't end the element or start a comment in it.
  return `<script type="application/ld+json">${json.replaceAll('<', String.raw`\u003c`)}</script>`;
}

/** The parts of a page's URL and snippet. A page whose URL doesn't specify a language is in English. */
export function frameOf(sourceId: string, baseUrl: string, { variant, theme, language, query }: FrameOptions) {
  return { sourceId, baseUrl, variant, theme, language: language === 'en' ? '' : language, look: query };
}

/** A `<meta>` element; empty if there is no content. */
function tag(kind: 'name' | 'property', name: string, content: string): string {
  return content && `<meta ${kind}="${name}" content="${escapeHtml(content)}">`;
}

/**
 * The headers for every frame page: what the page may load, and who may frame it. `X-Frame-Options` isn't sent, because
 * it can't list origins and would override a list of them.
 * @param imageOrigins where charts may be loaded from
 */
export function frameHeaders(
  allowedOrigins: '*' | readonly string[],
  imageOrigins: readonly string[],
  css = '',
): Map<string, string> {
  const ancestors = allowedOrigins === '*' ? '*' : ["'self'", ...allowedOrigins.filter(canPolicyName)].join(' ');
  const directives = [
    "default-src 'none'",
    "script-src 'self'",
    css === '' ? "style-src 'self'" : `style-src 'self' ${styleHashOf(css)}`,
    "connect-src 'self'",
    // `'self'` allows the page's icon.
    `img-src ${["'self'", ...imageOrigins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ];
  return new Map([
    ['Content-Security-Policy', directives.join('; ')],
    ['Referrer-Policy', 'no-referrer'],
    ['X-Robots-Tag', 'noindex'],
  ]);
}

/** The origin of a chart's URL, as a list. The list is empty if a policy can't name the origin. */
export function imageOriginsOf(imageUrl: string | null): readonly string[] {
  const origin = URL.parse(imageUrl ?? '')?.origin ?? '';
  return canPolicyName(origin) && !origin.includes('*') ? [origin] : [];
}

/** Frame pages as files for a static host. They use the default options, because they can't read their query. */
export function staticFrames(
  server: Pick<FramePulse, 'publicUrl' | 'scriptHash'>,
  allowedOrigins: '*' | readonly string[],
) {
  const options = frameOptionsOf(new URLSearchParams());
  return {
    pageOf: (sourceId: string, answer: PulseAnswer): string =>
      framePage({ ...server, sourceId, answer, isStatic: true, isPublic: true }, options),
    headersFor: (answers: readonly PulseAnswer[]): Readonly<Record<string, string>> => {
      const origins = new Set(answers.flatMap(({ pulse }) => imageOriginsOf(pulse.imageUrl)));
      return Object.fromEntries(frameHeaders(allowedOrigins, [...origins]));
    },
  };
}
