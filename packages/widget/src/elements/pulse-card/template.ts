import { html, nothing, type TemplateResult } from 'lit';
import type { ChartController } from '../../controllers/chart.ts';
import { isErrorVisible, type ResourceState } from '../../controllers/resource-state.ts';
import type { ListedSource } from '../../data/parse-sources.ts';
import type { Pulse } from '../../data/pulse.ts';
import { failureKind, type FailureKind } from '../../i18n/failure-kind.ts';
import type { Messages } from '../../i18n/messages.ts';
import { providerName } from '../../i18n/provider-name.ts';
import { inlineTemplate, keepUnits, markdownTemplate, plainText } from '../../markdown/markdown.ts';
import { icon } from '../icons.ts';
import { variantOf } from '../variants.ts';

/** Everything that the template of a card is made from. */
export interface CardView {
  readonly state: ResourceState;
  readonly variant: unknown;
  readonly theme: string;
  readonly headingLevel: unknown;
  /** The name to show where no answer has one. */
  readonly label: string | null | undefined;
  /** What a board knows of the source. */
  readonly listing: ListedSource | null;
  readonly messages: Messages;
  /** The language of the messages. */
  readonly messagesLanguage: string;
  readonly relativeTime: (iso: string) => string;
  readonly absoluteTime: (iso: string) => string;
  readonly chart: Pick<ChartController, 'url' | 'status' | 'attempt'>;
  readonly isOpen: boolean;
  /** Whether the analysis is built; until then it is text that the browser's search can find. */
  readonly isAnalysisBuilt: boolean;
  readonly isEnlarged: boolean;
  /** Whether the page has put something into the card to be shown until it is ready. */
  readonly hasFallback: boolean;
}

/** What a reader, or the browser, does with a card. */
export interface CardActions {
  readonly onToggle: (event: Event) => void;
  readonly onRetry: () => void;
  readonly onFallbackChange: () => void;
  readonly onImageLoad: () => void;
  readonly onImageError: () => void;
  readonly onEnlarge: () => void;
  /** Closes the enlarged view, unless the event comes from within it. */
  readonly onReduce: (event: Event) => void;
}

/** The content of a card: at most 70 nodes while it is folded, so templates that all cards have are not wrapped. */
export function cardTemplate(view: CardView, actions: CardActions): TemplateResult {
  const { state, variant, theme } = view;
  const { data, failure, status } = state;
  const content = data
    ? pulseTemplate(view, data, actions)
    : failure && isErrorVisible(state)
      ? [
          headerTemplate(view, true),
          noticeTemplate(view, failureKind(failure), actions),
          view.listing && footerTemplate(view),
        ]
      : waitingTemplate(view, actions);
  const label = nameOf(view) ? 'name' : 'finding';
  const classes = `base ${variantOf(variant)} ${theme}`;
  const isBusy = status === 'loading';
  // prettier-ignore
  return html`<article part="base" class=${classes} aria-labelledby=${label} aria-busy=${isBusy} tabindex="-1">${content}</article>`;
}

/** What the page gives to be shown meanwhile, else a skeleton. */
function waitingTemplate(view: CardView, { onFallbackChange }: CardActions): TemplateResult {
  const skeleton = view.hasFallback ? nothing : skeletonTemplate(nameOf(view));
  return html`<slot @slotchange=${onFallbackChange}></slot>${skeleton}`;
}

/** Where name, finding, chart and foot will be. */
export function skeletonTemplate(name: string | undefined): TemplateResult {
  const title = name ? html`<span id="name">${name}</span>` : html`<i></i>`;
  const lines = html`<i></i><i></i><i></i>
    <div></div>
    <footer><i></i><i></i></footer>`;
  return html`<div part="skeleton">
    <header>${title}<i></i></header>
    ${lines}
  </div>`;
}

/** An icon, words, and a button where trying again helps. */
export function noticeTemplate(
  {
    messages,
    messagesLanguage,
    state,
  }: Pick<CardView, 'messages' | 'messagesLanguage'> & { state: ResourceState<unknown> },
  kind: FailureKind,
  { onRetry }: Pick<CardActions, 'onRetry'>,
  text: string = messages[kind],
): TemplateResult {
  const isBusy = state.status === 'loading';
  const button = html`<button part="retry" aria-disabled=${isBusy} @click=${onRetry}>${messages.retry}</button>`;
  const slot = kind === 'empty' ? kind : 'error';
  const words = html`<slot name=${slot}><p id="finding">${text}</p></slot>`;
  const retry = state.failure?.retriable ? button : nothing;
  return html`<div part=${slot === 'error' ? slot : nothing} class="notice" lang=${messagesLanguage}>
    ${icon(kind)}${words}${retry}
  </div>`;
}

function pulseTemplate(view: CardView, pulse: Pulse, actions: CardActions): TemplateResult {
  const { variant, messages, messagesLanguage, isEnlarged } = view;
  const { aiSummaryShort } = pulse;
  const isChart = variant === 'chart';
  const note = html`<span lang=${messagesLanguage}>${messages.aiGenerated}</span>`;
  const hidden = html`<p id="finding" hidden>${note}: ${plainText(aiSummaryShort ?? '')}</p>`;
  const heading = aiSummaryShort && headingTemplate(view, findingTemplate(aiSummaryShort));
  const header = headerTemplate(view, isChart || !aiSummaryShort);
  const chart = variant === 'text' ? nothing : chartTemplate(view, actions);
  const footer = isChart ? nothing : footerTemplate(view, pulse, actions);
  const dialog = isEnlarged ? dialogTemplate(view, pulse, actions) : nothing;
  // prettier-ignore
  return html`<div class="face">${header}${isChart ? hidden : heading}${chart}</div>${footer}${dialog}`;
}

function findingTemplate(text: string): TemplateResult {
  return html`<span part="summary" id="finding" dir="auto">${findingOf(text)}</span>`;
}

function findingOf(text: string): unknown {
  return inlineTemplate(keepUnits(text));
}

function headingTemplate({ headingLevel }: CardView, content: TemplateResult): TemplateResult {
  const level = [2, 4, 5, 6].find((known) => known === Number(headingLevel)) ?? 3;
  return html`<div part="heading" role="heading" aria-level=${level}>${content}</div>`;
}

/** The eyebrow: name, badge and time. The name is the heading where no finding is. */
function headerTemplate(view: CardView, isHeading: boolean): TemplateResult {
  const { messages, messagesLanguage, relativeTime, absoluteTime, state } = view;
  const name = nameOf(view);
  const badge = badgeOf(view);
  const iso = state.data?.completedAt;
  const title = html`<slot name="heading"><span id="name" dir="auto" title=${name ?? nothing}>${name}</span></slot>`;
  const status =
    badge && html`<span part="status" class=${badge} lang=${messagesLanguage}>${icon(badge)}${messages[badge]}</span>`;
  const time = iso && html`<time part="time" datetime=${iso} title=${absoluteTime(iso)}>${relativeTime(iso)}</time>`;
  const heading = isHeading && name ? headingTemplate(view, title) : title;
  return html`<header part="header">${heading}${status}${time}</header>`;
}

/** Charts are drawn 16 by 9; a picture of another shape is shown whole in the same room. */
function chartTemplate(view: CardView, { onImageLoad, onImageError, onEnlarge }: CardActions): TemplateResult {
  const { messages, messagesLanguage, chart } = view;
  const { url, status, attempt } = chart;
  const isMissing = !url || status === 'failed' || status === 'slow';
  const image = html`<img
    part="image"
    src=${attempt ? `${url}#${attempt}` : url}
    alt=${nameOf(view) ?? ''}
    aria-describedby="finding"
    loading="lazy"
    decoding="sync"
    referrerpolicy="no-referrer"
    @load=${onImageLoad}
    @error=${onImageError}
  />`;
  const over = isMissing
    ? html`${icon('noPicture')}
        <p lang=${messagesLanguage}>${messages.noPicture}</p>`
    : html`<button part="enlarge" aria-label=${messages.enlarge} lang=${messagesLanguage} @click=${onEnlarge}>
        ${icon('enlarge')}
      </button>`;
  const kind = isMissing ? 'missing' : 'plate';
  const picture = url && status !== 'failed' ? image : nothing;
  return html`<div part="chart" class=${kind}>${picture}${over}</div>`;
}

/** What it is, where it comes from, and how to read on. */
function footerTemplate(view: CardView, pulse?: Pulse, actions?: CardActions): TemplateResult {
  const { messages, messagesLanguage } = view;
  const isWritten = pulse?.aiSummaryShort ?? pulse?.aiSummaryLong;
  const note = isWritten && html`<small lang=${messagesLanguage}>${messages.aiGenerated}</small>`;
  const provider = providerTemplate(view);
  const analysis = pulse?.aiSummaryLong && analysisTemplate(view, pulse, actions);
  // prettier-ignore
  return html`<footer part="footer"><div>${note}${provider}<slot name="footer"></slot></div><slot name="actions"></slot>${analysis}</footer>`;
}

function analysisTemplate(
  view: CardView,
  { aiSummaryLong, completedAt }: Pulse,
  actions?: CardActions,
): TemplateResult {
  const { isOpen, isAnalysisBuilt, absoluteTime, messages, messagesLanguage } = view;
  const text = aiSummaryLong ?? '';
  const date = html`<p class="date">${completedAt && absoluteTime(completedAt)}</p>`;
  const content = isAnalysisBuilt ? [date, markdownTemplate(text)] : plainText(text);
  const label = isOpen ? messages.hideAnalysis : messages.readAnalysis;
  // prettier-ignore
  return html`<details ?open=${isOpen} @toggle=${actions?.onToggle}><summary part="toggle" lang=${messagesLanguage}>${label}</summary><div part="analysis">${content}</div></details>`;
}

/** On a board: where the data comes from, and the way to it where the BFF exposes that. */
function providerTemplate({ listing, messages, messagesLanguage }: CardView): unknown {
  const { provider, link } = listing ?? {};
  if (!provider) return nothing;
  // A hue for each initial.
  const fill = `hsl(${provider.charCodeAt(0) * 25} 55% 50%)`;
  const dot = html`<svg viewBox="0 0 8 8" aria-hidden="true"><circle cx="4" cy="4" r="4" fill=${fill} /></svg>`;
  const name = providerName(provider);
  return link
    ? html`<a part="link" href=${link} target="_blank" lang=${messagesLanguage} title=${messages.dashboard}
        >${dot}${name}</a
      >`
    : html`<small>${dot}${name}</small>`;
}

function dialogTemplate(view: CardView, pulse: Pulse, { onReduce }: CardActions): TemplateResult {
  const { messages, messagesLanguage, chart, absoluteTime } = view;
  const { aiSummaryShort, completedAt } = pulse;
  const name = nameOf(view);
  const note = html`<small lang=${messagesLanguage}>${messages.aiGenerated}</small>`;
  return html`<dialog part="dialog" aria-label=${name ?? messages.enlarge} @click=${onReduce} @close=${onReduce}>
    <img src=${chart.url} alt=${name ?? ''} aria-describedby="finding" referrerpolicy="no-referrer" />
    <p>${[name, completedAt && absoluteTime(completedAt)].filter(Boolean).join(' · ')}</p>
    ${aiSummaryShort && html`<div dir="auto">${findingOf(aiSummaryShort)}${note}</div>`}
    <button part="close" aria-label=${messages.close} lang=${messagesLanguage} @click=${onReduce}>
      ${icon('close')}
    </button>
  </dialog>`;
}

/** What the reader should know first: the gravest of four. */
function badgeOf({
  state,
  listing,
}: CardView): 'earlierVersion' | 'updatesPaused' | 'updatesDelayed' | 'draft' | undefined {
  if (state.status === 'stale') return 'earlierVersion';
  const status = state.data && (state.source?.status ?? listing?.status);
  if (status === 'BROKEN') return 'updatesPaused';
  if (status === 'DEGRADED') return 'updatesDelayed';
  return listing && status === 'DRAFT' ? 'draft' : undefined;
}

function nameOf({ state, listing, label }: CardView): string | undefined {
  return listing?.name ?? state.data?.sourceName ?? state.source?.name ?? (label || undefined);
}
