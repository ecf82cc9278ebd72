import { languageTag } from '@pulse-card/contract/language-tag';
import { ElementRenderer, render } from '@lit-labs/ssr';
import { collectResultSync } from '@lit-labs/ssr/lib/render-result.js';
import { markdownTemplate } from '../after-paint/markdown-template.ts';
import { IDLE, type ResourceState, responseReceived } from '../controllers/resource-state.ts';
import { parseBatch } from '../data/parse-pulse.ts';
import type { Pulse, SourceInfo } from '../data/pulse.ts';
import type { Result } from '../data/result.ts';
import { cardTemplate, isLongFinding } from '../elements/pulse-card/template.ts';
import { READER_SLOT } from '../after-paint/reader-copy.ts';
import { type Variant, variantOf } from '../elements/variants.ts';
import { failureKind } from '../i18n/failure-kind.ts';
import { aiNote, reviewerOf } from '../i18n/ai-note.ts';
import { absoluteTime, relativeTime } from '../i18n/format-date.ts';
import { type CardMessages, ENGLISH, SERVER_ENGLISH, type ServerMessages } from '../i18n/messages.ts';
import { framePageUrl } from '../snippet/addresses.ts';
import { placeholderOf } from '../snippet/card-snippet.ts';
import { escapeHtml } from '../snippet/escape-html.ts';
import { STYLE_FILE } from './stylesheet.ts';
import { knownMessages } from './translations.ts';

/** A response from the BFF to `/v1/sources/{sourceId}/pulse`. Other fields are ignored. */
export interface PulseAnswer {
  readonly pulse: object;
  readonly meta?: { readonly stale: boolean; readonly requestedAt?: string };
  readonly source?: SourceInfo | null;
}

/** An error from the BFF. */
export interface PulseRefusal {
  readonly code: string;
  readonly source?: PulseAnswer['source'];
}

/** Options for rendering a card. */
export interface RenderOptions {
  readonly sourceId: string;
  /** The BFF's URL. Required unless you set `styleHref` and the script comes from the BFF. */
  readonly baseUrl?: string;
  /** The URL of the style sheet. @default `STYLE_FILE` at `baseUrl` */
  readonly styleHref?: string;
  /** @default 'card' */
  readonly variant?: Variant;
  /** @default 'auto' */
  readonly theme?: 'auto' | 'light' | 'dark';
  /** 2 to 6. @default 3 */
  readonly headingLevel?: number;
  /** Whether the analysis is expanded. @default false */
  readonly open?: boolean;
  /** The name to show if the response doesn't include one. */
  readonly label?: string;
  /** The name in the "AI-generated, reviewed by …" label, at most 32 characters. Requires `aiReviewedRun`. */
  readonly aiReviewedBy?: string;
  /** The ID of the run whose text was reviewed. Separate several IDs with spaces. */
  readonly aiReviewedRun?: string;
  /** @default 'light' */
  readonly chartTheme?: 'light' | 'auto';
  /** The language of the AI-generated text, if it differs from `language`. */
  readonly summaryLang?: string;
  /**
   * The buttons in the footer, separated by spaces: `copy`, `save`, `share`. They appear once the script has loaded.
   * @default none
   */
  readonly actions?: string;
  /**
   * Whether the five previous findings are listed at the end of the expanded analysis. The list appears once the script
   * has loaded.
   * @default false
   */
  readonly history?: boolean;
  /**
   * When the element sends its request. With `click`, the page contains only the card's name, and nothing is requested
   * until the reader clicks a button. In all other cases, the rendered card is shown right away. With `lazy`, the
   * browser loads the chart only when it is near the viewport, which the browser can tell only once the style sheet has
   * loaded. Use `lazy` for cards that readers have to scroll to.
   * @default the chart loads immediately
   */
  readonly loading?: 'lazy' | 'eager' | 'click';
  /** Whether the element checks for a new pulse about every 30 seconds. @default false */
  readonly live?: boolean;
  /**
   * The height to add to the collapsed card, in `em`, as an inline style. Use the same number in
   * `--pulse-card-extra-height`.
   * @default 0
   */
  readonly extraHeight?: number;
  /**
   * The language of text, dates, and numbers, which becomes the element's `lang` attribute: a BCP 47 tag, or a locale
   * such as `de_DE.UTF-8`. Any other value selects English.
   * @default 'en'
   */
  readonly language?: string;
  /**
   * The current time for relative times, in milliseconds since the Unix epoch. Set this option if the page is rendered
   * separately for each reader.
   * @default absolute times, in UTC
   */
  readonly now?: number;
  /**
   * Whether the response is an earlier run, as shown by a permalink. If so, the card's badge shows "Version of May 12",
   * for example, and the element doesn't change the card.
   * @default false
   */
  readonly isVersion?: boolean;
  /** Whether the card fills a frame's page, using the layout in `STYLE_FILE`. @default false */
  readonly fill?: boolean;
  /** Whether the page also contains the response as data, so that the element doesn't send a request. @default true */
  readonly embedData?: boolean;
  /**
   * Whether every reader is allowed to see the response. The element keeps public content when the page goes
   * into the back/forward cache.
   * @default false
   */
  readonly isPublic?: boolean;
  /**
   * Whether the element waits until the page removes the `defer-hydration` attribute. Use it on pages whose script sets
   * `tokenProvider` or `reader`.
   * @default false
   */
  readonly deferHydration?: boolean;
}

/**
 * Dates include their time zone, because the server doesn't know the reader's. This short format leaves space for the
 * source's name.
 */
const SHORT_DATE: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
  timeZoneName: 'short',
};

const FULL_DATE: Intl.DateTimeFormatOptions = { ...SHORT_DATE, month: 'long', hour: 'numeric', minute: '2-digit' };

/** The fields of a pulse that a page is allowed to contain. */
const FIELDS: readonly (keyof Pulse)[] = [
  'jobRunId',
  'sourceId',
  'sourceName',
  'status',
  'completedAt',
  'imageUrl',
  'aiSummaryShort',
  'aiSummaryLong',
  'deliveryLink',
  'organizationId',
  'organizationName',
  'organizationSlug',
  'withheld',
];

/** The markers that Lit writes for its own hydration, which the element doesn't use. */
const HYDRATION_COMMENTS = /<!--\/?lit-[^>]*-->|<\?>/g;

/**
 * Renders only the template. The code in this file writes the element around the template, because the element's styles
 * must be in a style sheet.
 */
class CardRenderer extends ElementRenderer {}

/**
 * Returns a `<pulse-card>` as HTML that is readable without scripts and inline styles. The HTML contains the shadow
 * root as a template (declarative shadow DOM), a link to the style sheet, and the response as data.
 */
export function renderPulseCard(answer: PulseAnswer | PulseRefusal, givenOptions: RenderOptions): string {
  const renderOptions = { ...givenOptions, ...languagesOf(givenOptions) };
  // The JSON of a proxy's error can be anything.
  const body = Object(answer) as PulseAnswer | PulseRefusal;
  const entry = entryOf(body, renderOptions.sourceId);
  const result = parseBatch({ pulses: [entry] }, renderOptions.sourceId);
  if (renderOptions.loading === 'click' && !renderOptions.isVersion) return waitingCard(result, renderOptions);
  const isDeleted = !result.ok && failureKind(result) === 'unknown';
  // A source that no longer exists needs no space for a chart.
  const options = isDeleted ? ({ ...renderOptions, variant: 'text' } as const) : renderOptions;
  const rendered = render(contentOf(result, options), { customElementHostStack: [new CardRenderer('pulse-card')] });
  const content = collectResultSync(rendered).replaceAll(HYDRATION_COMMENTS, '');
  const shadow = `<link rel="stylesheet" href="${escapeHtml(styleHrefOf(options))}">${content}`;
  const hasData = (result.ok && !options.isVersion) || 'code' in body;
  const data = hasData ? dataScript(entry, options) : '';
  return `<pulse-card${attributesOf(options)}><template shadowrootmode="open">${shadow}</template>${readerCopy(result, options)}${data}</pulse-card>`;
}

/** The content for reader modes. The card's script writes the same content: see `reader-copy.ts`. */
function readerCopy(result: Result, options: RenderOptions): string {
  if (!result.ok) return '';
  const { sourceId, baseUrl, label, isPublic, isVersion } = options;
  const { sourceName, imageUrl, aiSummaryShort, jobRunId } = result.data;
  const messages = knownMessages(options.language ?? 'en') ?? ENGLISH;
  const name = escapeHtml(sourceName ?? result.source?.name ?? label ?? messages.chart);
  const url = isPublic && !isVersion && baseUrl ? framePageUrl({ sourceId, baseUrl }) : undefined;
  const layout = variantOf(options.variant);
  const hasPicture = imageUrl && (layout === 'card' || layout === 'chart');
  const image = hasPicture
    ? `<img loading="lazy" referrerpolicy="no-referrer" alt="" src="${escapeHtml(imageUrl)}">`
    : '';
  const link = url ? `<a href="${escapeHtml(url)}">${name}</a>` : name;
  const note = aiSummaryShort ? ` ${escapeHtml(aiNote(messages, reviewerOf(options, jobRunId)))}` : '';
  return `<figure slot="${READER_SLOT}">${image}${link}${note}</figure>`;
}

/** The languages as BCP 47 tags. */
function languagesOf({ language, summaryLang }: RenderOptions): Pick<RenderOptions, 'language' | 'summaryLang'> {
  const summaryTag = languageTag(summaryLang);
  return {
    ...(language !== undefined && { language: languageTag(language) ?? 'en' }),
    ...(summaryLang !== undefined && { summaryLang: summaryTag ?? '' }),
  };
}

/** A card that requests neither its chart nor its style sheet until the reader clicks its button. */
function waitingCard(result: Result, options: RenderOptions): string {
  const name = (result.ok ? result.data.sourceName : null) ?? result.source?.name ?? options.label ?? null;
  const placeholder = placeholderOf({ ...options, name, baseUrl: '', isPrivate: true });
  return `<pulse-card${attributesOf({ ...options, ...(name && { label: name }) })}>${placeholder.join('')}</pulse-card>`;
}

/** The response as an entry in a batch, without the fields that must not be in a page. */
function entryOf(answer: PulseAnswer | PulseRefusal, sourceId: string): object {
  const source = answer.source && sourceOf(answer.source);
  if ('code' in answer) return { sourceId, ok: false, code: answer.code, ...(source && { source }) };
  const fields = Object.entries(Object(answer.pulse) as object).filter(([name]) =>
    FIELDS.includes(name as keyof Pulse),
  );
  const { stale, requestedAt } = answer.meta ?? {};
  const meta = { stale: stale === true, requestedAt };
  return { sourceId, ok: true, meta, pulse: Object.fromEntries(fields), ...(source && { source }) };
}

/** The fields of a source that a page is allowed to contain. */
function sourceOf({ status, name, provider, link, rhythm }: SourceInfo): SourceInfo {
  return { status, name, ...(provider && { provider }), ...(link && { link }), ...(rhythm && { rhythm }) };
}

function contentOf(result: Result, options: RenderOptions): unknown {
  const { variant, theme = 'auto', headingLevel = 3, open = false, label, language = 'en', now } = options;
  const messages = knownMessages(language) ?? ENGLISH;
  const completedAt = result.ok ? result.data.completedAt : null;
  const fullDate = (iso: string, format?: Intl.DateTimeFormatOptions): string =>
    absoluteTime(iso, language, format ? { ...format, timeZone: 'UTC' } : FULL_DATE);
  const view = {
    state: stateAfter(result),
    variant: variantOf(variant),
    theme,
    headingLevel,
    label,
    listing: null,
    messages,
    language,
    ago: completedAt
      ? now === undefined
        ? absoluteTime(completedAt, language, SHORT_DATE)
        : relativeTime(completedAt, language, now, SHORT_DATE)
      : undefined,
    absoluteTime: fullDate,
    chart: { url: result.ok ? result.data.imageUrl : null, isMissing: false, attempt: 0 },
    isOpen: open,
    isAnalysisBuilt: true,
    markdownTemplate,
    isFindingCut: result.ok && isLongFinding(result.data),
    isChartLazy: options.loading === 'lazy',
    version: options.isVersion && result.ok ? versionOf(result.data, messages, fullDate) : undefined,
    aiReviewedBy: reviewerOf(options, result.ok ? result.data.jobRunId : undefined),
    summaryLang: options.summaryLang ?? '',
    // Only the browser knows whether `auto` is dark.
    isChartDark: options.chartTheme === 'auto' && theme === 'dark',
    fill: options.fill ?? false,
    hasFallback: false,
  } as const;
  return cardTemplate(view);
}

/** The badge text for an earlier run, with the day, and the year if it isn't the current one. */
function versionOf(
  { completedAt }: Pulse,
  messages: CardMessages & Partial<ServerMessages>,
  dateOf: (iso: string, format: Intl.DateTimeFormatOptions) => string,
): string {
  if (!completedAt) return messages.earlierVersion;
  const isOfThisYear = new Date(completedAt).getUTCFullYear() === new Date().getUTCFullYear();
  const day = dateOf(completedAt, { month: 'long', day: 'numeric', ...(!isOfThisYear && { year: 'numeric' }) });
  return { ...SERVER_ENGLISH, ...messages }.version.replace('{date}', () => day);
}

/**
 * The state after a server's request. Every failure is shown, because a server doesn't retry. An element hides some
 * failures until its next attempt.
 */
function stateAfter(result: Result): ResourceState {
  const state = responseReceived(IDLE, result);
  return result.ok || state.status !== 'idle' ? state : { ...state, status: 'error' };
}

function styleHrefOf({ styleHref, baseUrl = '' }: RenderOptions): string {
  return styleHref ?? `${baseUrl.replace(/\/+$/, '')}/${STYLE_FILE}`;
}

function attributesOf(options: RenderOptions): string {
  const { sourceId, baseUrl, variant, theme = 'auto', headingLevel, open, label, language } = options;
  const layout = variantOf(variant);
  const attributes: [name: string, value: string | number | null | undefined][] = [
    // Without the source, the element doesn't replace this run with the latest run.
    ['source-id', options.isVersion === true ? undefined : sourceId],
    ['base-url', baseUrl],
    ['variant', layout === 'card' ? undefined : layout],
    ['theme', theme === 'auto' ? undefined : theme],
    ['heading-level', headingLevel],
    ['label', label],
    ['ai-reviewed-by', options.aiReviewedBy],
    ['ai-reviewed-run', options.aiReviewedRun],
    ['chart-theme', options.chartTheme === 'auto' ? 'auto' : undefined],
    ['summary-lang', options.summaryLang],
    ['actions', options.actions],
    ['history', options.history === true ? '' : undefined],
    ['loading', options.loading],
    ['live', options.live === true ? '' : undefined],
    ['lang', language],
    ['open', open === true ? '' : undefined],
    ['fill', options.fill === true ? '' : undefined],
    ['style', options.extraHeight ? `--pulse-card-extra-height:${options.extraHeight}em` : undefined],
    ['data-public', options.isPublic === true ? '' : undefined],
    ['defer-hydration', options.deferHydration === true ? '' : undefined],
  ];
  return attributes
    .map(([name, value]) => ((value ?? undefined) === undefined ? '' : ` ${name}="${escapeHtml(String(value))}"`))
    .join('');
}

/**
 * A script element with data, which browsers don't run. It contains no `<`, so it can't end the element or open a
 * comment.
 */
function dataScript(entry: object, { sourceId, embedData = true, language = 'en' }: RenderOptions): string {
  if (!embedData) return '';
  const messages = knownMessages(language);
  const translation = messages && messages !== ENGLISH ? { translation: { language, messages } } : {};
  const json = JSON.stringify({ ...entry, ...translation }).replaceAll('<', '\\u003c');
  return `<script type="application/json" data-id="${escapeHtml(sourceId)}">${json}</script>`;
}
