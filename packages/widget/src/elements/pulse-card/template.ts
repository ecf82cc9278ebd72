import { html, nothing, type TemplateResult } from 'lit';
import type { ChartController } from '../../controllers/chart.ts';
import { isErrorVisible, isOverdue, type ResourceState } from '../../controllers/resource-state.ts';
import type { ListedSource } from '../../data/parse-sources.ts';
import type { Pulse, Rhythm } from '../../data/pulse.ts';
import { safeUrl } from '../../data/sanitize.ts';
import type { ButtonAction } from '../button-action.ts';
import type { EnlargedView } from '../../extras/enlarged-view.ts';
import { aiNote } from '../../i18n/ai-note.ts';
import { failureKind, type FailureKind } from '../../i18n/failure-kind.ts';
import type { CardMessages } from '../../i18n/messages.ts';
import { providerColor, providerName } from '../../i18n/provider-name.ts';
import { inlineTemplate, keepUnits, markdownTemplate, plainText } from '../../markdown/markdown.ts';
import { icon } from '../icons.ts';

/** The view model of a card. */
export interface CardView extends WaitingView, NoticeView {
  readonly state: ResourceState;
  readonly variant: string;
  readonly theme: string;
  readonly headingLevel: number;
  /** The name to show if no response has one. */
  readonly label: string | null | undefined;
  /** The source in the list of the board. */
  readonly listing: ListedSource | null;
  readonly relativeTime: (iso: string) => string;
  readonly absoluteTime: (iso: string, format?: Intl.DateTimeFormatOptions) => string;
  readonly chart: Pick<ChartController, 'url' | 'isMissing' | 'attempt' | 'isReplacement'> & Partial<ChartController>;
  /** The address of the picture in the snippet, if it stays in an outage. */
  readonly keptPicture?: string | undefined;
  readonly isOpen: boolean;
  /** Whether the analysis is rendered. Before that, it is plain text that the browser's search can find. */
  readonly isAnalysisBuilt: boolean;
  /** Whether the card has too little space for the whole finding. */
  readonly isFindingCut: boolean;
  /** The template of the enlarged view, after the reader has opened it. */
  readonly enlargedTemplate?: ((view: EnlargedView) => unknown) | undefined;
  /** Renders the earlier findings at the end of the analysis, once they have loaded. */
  readonly historyTemplate?: () => unknown;
  /** The badge of an earlier run by permalink. */
  readonly version?: string | undefined;
  /** Whether a server renders. The browser then loads the chart lazily. */
  readonly isServer?: boolean;
  /** The reviewer in the AI label. */
  readonly aiReviewedBy: string;
  /** Whether a chart that is drawn on white is made dark. */
  readonly isChartDark: boolean;
  /** The language of the texts, if it differs from the language of the page. */
  readonly summaryLang: string;
  /** Whether the card fills a frame. The first lines of the analysis then use the space that is left. */
  readonly fill?: boolean;
  readonly onToggle?: (event: Event) => void;
  readonly onEnlarge?: () => void;
  /** The buttons of the footer. */
  readonly actions?: readonly ButtonAction[];
  readonly onAction?: (event: Event) => void;
  /** Called when the reader opens the source. */
  readonly onOpenSource?: () => void;
}

/** The content of a card or a board until it has its own. */
export interface WaitingView {
  /** Whether the page has provided content to show meanwhile. */
  readonly hasFallback: boolean;
  readonly onFallbackChange?: () => void;
}

/** The facts that a message depends on. */
export interface NoticeView {
  readonly state: ResourceState<unknown>;
  readonly messages: CardMessages;
  /** The host that the button of `loading="click"` names. */
  readonly askedHost?: string | undefined;
  readonly onRetry?: () => void;
}

/** A date that fits the footer of the narrowest card. */
const DATE: Intl.DateTimeFormatOptions = { dateStyle: 'medium' };

/** The maximum number of elements in the lead, which shows only a few lines. */
const MAX_LEAD_ELEMENTS = 100;

/** The content of a card. A collapsed card has at most 76 nodes, so templates that all cards share are not wrapped. */
export function cardTemplate(view: CardView): TemplateResult {
  const { state, variant, theme } = view;
  const kind = noticeKind(view);
  const classes = `base ${variant} ${theme} ${view.isChartDark ? 'dark-chart' : ''}`;
  // prettier-ignore
  return html`<article part="base" class=${classes} aria-labelledby=${labelOf(view, kind)} aria-busy=${state.status === 'loading'} tabindex="-1">${contentTemplate(view, kind)}</article>`;
}

function contentTemplate(view: CardView, kind: FailureKind | undefined): unknown {
  const { state, messages, keptPicture } = view;
  if (view.askedHost) return [headerTemplate(view, true), askTemplate(view, messages.showChart)];
  if (kind && keptPicture) return keptTemplate(view, keptPicture);
  if (kind) return [headerTemplate(view, true), noticeTemplate(view, kind), view.listing && footerTemplate(view)];
  return state.data ? pulseTemplate(view, state.data) : waitingTemplate(view, skeletonTemplate(nameOf(view)));
}

/** The element that names the card, if one is shown: until the card has loaded, there may be none. */
function labelOf(view: CardView, kind: FailureKind | undefined): 'name' | 'finding' | typeof nothing {
  const { data } = view.state;
  if (!kind && !data) return nameOf(view) && (view.askedHost || !view.hasFallback) ? 'name' : nothing;
  if (nameOf(view)) return 'name';
  const hasFinding = kind || data?.aiSummaryShort || data?.withheld || (view.variant === 'chart' && data?.imageUrl);
  return hasFinding ? 'finding' : nothing;
}

/** The kind of message that replaces a pulse: a failure, or "empty" if there is neither a chart nor text. */
function noticeKind({ state, variant }: CardView): FailureKind | undefined {
  const { data } = state;
  if (!data) return isErrorVisible(state) ? failureKind(state.failure) : undefined;
  const isText = variant === 'text' || variant === 'compact' || !data.imageUrl;
  return isText && !(data.aiSummaryShort ?? data.aiSummaryLong) && !data.withheld ? 'empty' : undefined;
}

/** The content of the page, or `skeleton` if there is none. */
export function waitingTemplate({ hasFallback, onFallbackChange }: WaitingView, skeleton: unknown): TemplateResult {
  return html`<slot @slotchange=${onFallbackChange}></slot>${hasFallback ? nothing : skeleton}`;
}

/** Placeholders for the name, finding, chart, and footer. */
export function skeletonTemplate(name?: string): TemplateResult {
  const title = name ? html`<div id="name">${name}</div>` : html`<i></i>`;
  return html`<div part="skeleton">
    <header>${title}<i></i></header>
    <i></i><i></i><i></i>
    <div></div>
    <footer><i></i><i></i></footer>
  </div>`;
}

/** An icon, a message, and a button if trying again can help. */
export function noticeTemplate(
  { messages, state, onRetry }: NoticeView,
  kind: FailureKind,
  text: string = messages[kind],
): TemplateResult {
  const slot = { empty: 'empty', signedOut: 'signed-out' }[kind as string] ?? 'error';
  const part = kind === 'empty' ? kind : 'error';
  const isBusy = state.status === 'loading';
  const retry = html`<button part="retry" aria-disabled=${isBusy} @click=${onRetry}>${messages.retry}</button>`;
  const words = html`<slot name=${slot}><p id="finding">${text}</p></slot>`;
  return html`<div part=${part} class="notice" lang=${messages.lang}>
    ${icon(kind)}${words}${state.failure?.retriable ? retry : nothing}
  </div>`;
}

/** The button of `loading="click"`. `text` contains the placeholder `{host}`. */
export function askTemplate({ messages, askedHost, onRetry }: NoticeView, text: string): TemplateResult {
  const [before, after] = text.split('{host}');
  return html`<div class="notice" lang=${messages.lang}>
    ${icon('empty')}
    <button part="show" dir="auto" aria-describedby="name" @click=${onRetry}>
      ${before}<bdi>${askedHost}</bdi>${after}
    </button>
  </div>`;
}

/** The picture in the snippet, with a message that there is no text. */
function keptTemplate(view: CardView, url: string): TemplateResult {
  const { messages } = view;
  const name = nameOf(view);
  return html`<div class="face">
      ${headerTemplate(view, true)}
      <div part="error" lang=${messages.lang}>
        <slot name="error"><p id="finding">${messages.noText}</p></slot>
      </div>
      <div part="chart" class="plate">
        <img
          part="image"
          src=${url}
          alt=${name ?? messages.chart}
          lang=${name ? nothing : messages.lang}
          decoding="sync"
        />
      </div>
    </div>
    ${view.variant === 'chart' ? nothing : footerTemplate(view)}`;
}

function pulseTemplate(view: CardView, pulse: Pulse): TemplateResult {
  const { variant, summaryLang } = view;
  const { aiSummaryShort, imageUrl } = pulse;
  // Without a chart, this variant shows the texts.
  const isChart = variant === 'chart' && !!imageUrl;
  const lang = summaryLang || nothing;
  const finding = pulse.withheld
    ? html`<p id="finding" lang=${view.messages.lang} ?hidden=${isChart}>${view.messages.withheld}</p>`
    : isChart
      ? html`<p id="finding" lang=${lang} ai-disclosure="ai-autonomous" hidden>
          <small lang=${view.messages.lang}>${aiNote(view.messages, view.aiReviewedBy)}</small>:
          ${plainText(aiSummaryShort ?? '')}
        </p>`
      : aiSummaryShort &&
        html`<div
          part="heading"
          class=${view.isFindingCut ? 'cut' : nothing}
          role="heading"
          aria-level=${levelOf(view)}
          ai-disclosure="ai-autonomous"
        >
          <span part="summary" id="finding" lang=${lang} dir="auto">${findingOf(aiSummaryShort)}</span>
        </div>`;
  const header = headerTemplate(view, isChart || !aiSummaryShort);
  const chart = imageUrl && variant !== 'text' ? chartTemplate(view) : nothing;
  const hasLead = view.fill || (!imageUrl && variant !== 'text' && variant !== 'compact');
  const media = hasLead ? [chart, leadTemplate(view, pulse)] : chart;
  const footer = isChart ? nothing : footerTemplate(view, pulse);
  // prettier-ignore
  return html`<div class="face">${header}${finding}${media}</div>${footer}${view.enlargedTemplate?.(enlargedViewOf(view, pulse))}`;
}

/** The first lines of the analysis. The footer has the whole analysis. */
function leadTemplate({ summaryLang }: CardView, { aiSummaryLong }: Pulse): unknown {
  if (!aiSummaryLong) return nothing;
  return html`<div part="lead" lang=${summaryLang || nothing} ai-disclosure="ai-autonomous" aria-hidden="true">
    ${markdownTemplate(aiSummaryLong, MAX_LEAD_ELEMENTS)}
  </div>`;
}

/** The number of characters of a finding that fits the narrowest card. */
const MAX_WHOLE_FINDING = 100;

/** Whether a finding may be cut in a card whose width isn't known. */
export function isLongFinding({ aiSummaryShort }: Pulse): boolean {
  return !!aiSummaryShort && aiSummaryShort.length > MAX_WHOLE_FINDING;
}

function findingOf(text: string): unknown {
  return inlineTemplate(keepUnits(text));
}

function levelOf({ headingLevel }: CardView): number {
  return headingLevel > 1 && headingLevel < 7 ? headingLevel | 0 : 3;
}

/** The AI label. It has a short form for narrow cards. */
export function noteTemplate(view: Pick<CardView, 'messages' | 'aiReviewedBy'>): TemplateResult {
  const { lang, aiShort } = view.messages;
  const note = aiNote(view.messages, view.aiReviewedBy);
  // prettier-ignore
  return html`<small part="note" lang=${lang} title=${note}>${icon('spark')}<span>${note}</span><em aria-hidden="true">${aiShort}</em></small>`;
}

/** The name, AI label, badge, and time. If there is no finding, the name is the heading. */
function headerTemplate(view: CardView, isHeading: boolean): TemplateResult {
  const { messages, relativeTime, absoluteTime } = view;
  const { data } = view.state;
  const name = nameOf(view);
  const badge = badgeOf(view);
  const iso = data?.completedAt;
  const isName = isHeading && name;
  // On an element that contains a slot, `auto` would use the direction of the host.
  const fallback = name && html`<div dir="auto">${name}</div>`;
  // prettier-ignore
  const title = html`<div part="name" id="name" title=${name ?? nothing} role=${isName ? 'heading' : nothing} aria-level=${isName ? levelOf(view) : nothing}><slot name="name">${fallback}</slot></div>`;
  const hasNote = view.askedHost ?? view.keptPicture ?? data?.aiSummaryShort ?? data?.aiSummaryLong;
  const note = hasNote ? noteTemplate(view) : nothing;
  const words = badge === 'version' ? view.version : badge && messages[badge];
  // On a narrow line, only this title shows the time.
  const usual = iso && usualOf(view);
  const ago = iso && relativeTime(iso);
  const badgeTitle = [words, ago, usual && messages[usual]].filter(Boolean).join(' · ');
  const times = usual ? [ago, html`<span lang=${messages.lang}> · ${messages[usual]}</span>`] : ago;
  const status =
    badge &&
    html`<span part="status" class=${badge} lang=${messages.lang} title=${badgeTitle}
      >${icon(badge)}<span>${words}</span></span
    >`;
  const time = iso && html`<time part="time" dir="auto" datetime=${iso} title=${absoluteTime(iso)}>${times}</time>`;
  return html`<header part="header">${title}${note}${status}${time}</header>`;
}

/** The chart, in a space of 16 by 9. A chart with a different ratio is shown whole in the same space. */
function chartTemplate(view: CardView): TemplateResult {
  const { messages, chart, onEnlarge } = view;
  const { url, attempt, onLoad, onError } = chart;
  const name = nameOf(view);
  const { isMissing } = chart;
  const src = attempt ? `${url}#${attempt}` : url;
  const image = html`<img
    part="image"
    src=${src}
    alt=${name ?? messages.chart}
    lang=${name ? nothing : messages.lang}
    aria-describedby=${view.variant === 'chart' ? 'finding' : nothing}
    loading=${view.isServer ? 'lazy' : nothing}
    decoding=${chart.isReplacement ? 'sync' : nothing}
    referrerpolicy="no-referrer"
    @load=${onLoad}
    @error=${onError}
  />`;
  const over = isMissing
    ? html`${icon('noPicture')}
        <p lang=${messages.lang}>${messages.noPicture}</p>`
    : url && !view.version
      ? html`<button part="enlarge" aria-label=${messages.enlarge} lang=${messages.lang} @click=${onEnlarge}>
          ${icon('enlarge')}
        </button>`
      : nothing;
  return html`<div part="chart" class=${isMissing ? 'missing' : 'plate'}>${url ? image : nothing}${over}</div>`;
}

/** The source line, the actions, and the analysis. */
function footerTemplate(view: CardView, pulse?: Pulse): TemplateResult {
  const canUnfold = pulse?.aiSummaryLong ?? view.isFindingCut;
  const more = pulse && (canUnfold ? analysisTemplate(view, pulse) : dateTemplate(view, pulse, DATE));
  // prettier-ignore
  return html`<footer part="footer"><div><slot part="source" name="source">${sourceTemplate(view)}</slot><slot name="footer"></slot></div><slot name="actions"></slot>${pulse && actionsTemplate(view)}${more}</footer>`;
}

/** The provider and the links that the BFF exposes. Without a board, a card names the provider only together with a link. */
function sourceTemplate({ state, listing, messages, onOpenSource }: CardView): unknown[] | undefined {
  const { provider, link } = listing ?? state.source ?? {};
  const links = [
    [link, messages.dashboard],
    [safeUrl(state.data?.deliveryLink ?? ''), messages.viewDelivery],
  ].filter(([url]) => url);
  if (!links[0] && !listing) return undefined;
  const name =
    provider &&
    html`<small
      ><svg class="dot" aria-hidden="true" color=${providerColor(provider)}></svg>${providerName(provider)}</small
    >`;
  // prettier-ignore
  const anchors = links.map(([url, text]) => html`<a href=${url} target="_blank" lang=${messages.lang} title=${text} @click=${onOpenSource}><span>${text}</span></a>`);
  return [name, ...anchors];
}

/** The buttons of the actions. A narrow card shows them in a menu. */
function actionsTemplate({ actions, messages, onAction }: CardView): unknown {
  if (!actions?.[0]) return nothing;
  const button = (name: ButtonAction) =>
    html`<button value=${name} title=${messages[name]}>${icon(name)}<span>${messages[name]}</span></button>`;
  // prettier-ignore
  return html`<div part="actions" lang=${messages.lang} @click=${onAction}><button class="more" aria-label=${messages.actions} aria-expanded="false">${icon('actions')}</button><div>${actions.map(button)}</div></div>`;
}

/** The completion date, for readers who can't hover. */
function dateTemplate(
  { absoluteTime }: CardView,
  { completedAt }: Pulse,
  format?: Intl.DateTimeFormatOptions,
): unknown {
  return completedAt && html`<small>${absoluteTime(completedAt, format)}</small>`;
}

function analysisTemplate(view: CardView, pulse: Pulse): TemplateResult {
  const { isOpen, isAnalysisBuilt, messages, onToggle } = view;
  const lang = view.summaryLang || nothing;
  const text = pulse.aiSummaryLong ?? '';
  const content = isAnalysisBuilt
    ? [dateTemplate(view, pulse), markdownTemplate(text), view.historyTemplate?.()]
    : plainText(text);
  // prettier-ignore
  return html`<details ?open=${isOpen} @toggle=${onToggle}><summary part="toggle" lang=${messages.lang} aria-describedby="name">${text ? messages.readAnalysis : messages.readAll}</summary><div part="analysis" lang=${lang} ai-disclosure=${text ? 'ai-autonomous' : nothing}>${content}</div></details>`;
}

/** The view model of the enlarged view. */
function enlargedViewOf(view: CardView, pulse: Pulse): EnlargedView {
  const { messages, chart } = view;
  const { aiSummaryShort } = pulse;
  const name = nameOf(view);
  return {
    url: chart.url as string,
    alt: name ?? messages.chart,
    altLang: name ? nothing : messages.lang,
    messages,
    facts: [
      name && html`<small dir="auto">${name}</small>`,
      aiSummaryShort && noteTemplate(view),
      dateTemplate(view, pulse),
    ],
    finding:
      aiSummaryShort &&
      html`<div lang=${view.summaryLang || nothing} dir="auto" ai-disclosure="ai-autonomous">
        ${findingOf(aiSummaryShort)}
      </div>`,
  };
}

/** The usual rhythm of the source, if its next run is overdue. */
function usualOf({ state, version }: CardView): Rhythm['usual'] | undefined {
  return isOverdue(state) && !version ? state.source?.rhythm?.usual : undefined;
}

type Badge = 'badgeSignedOut' | 'version' | 'earlierVersion' | 'updatesPaused' | 'updatesDelayed' | 'overdue' | 'draft';

/** The most serious badge. */
function badgeOf({ state, listing, version }: CardView): Badge | undefined {
  if (version) return 'version';
  if (state.status === 'stale') return state.failure?.code === 'signed_out' ? 'badgeSignedOut' : 'earlierVersion';
  const status = state.data && (state.source?.status ?? listing?.status);
  if (status === 'BROKEN') return 'updatesPaused';
  if (status === 'DEGRADED') return 'updatesDelayed';
  if (isOverdue(state)) return 'overdue';
  return listing && status === 'DRAFT' ? 'draft' : undefined;
}

function nameOf(view: CardView): string | undefined {
  const { state, listing, label } = view;
  const kind = noticeKind(view);
  // A source that is missing or forbidden has no name.
  const isHidden = kind === 'unknown' || kind === 'forbidden' || kind === 'noAccess';
  const ownLabel = isHidden ? undefined : label || undefined;
  return listing?.name ?? state.data?.sourceName ?? state.source?.name ?? ownLabel;
}
