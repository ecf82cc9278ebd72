import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Variant } from './card-size.ts';
import { directionOf, inlineView, markdownView } from './markdown/markdown-view.ts';
import type { Pulse } from './pulse-outcome.ts';
import { isTold, type PulseModel } from './pulse-state.ts';
import { failureText, type Words } from './words.ts';

/** A summary up to this long fits its lines at every width, so there is nothing to unfold. */
const FITS = 64;

/** All that the template of a card is made from. */
export interface CardFacts {
  readonly model: PulseModel;
  readonly variant: Variant;
  readonly headingLevel: number;
  readonly unfolded: boolean;
  /** What the page calls the source, for want of a name in an answer. */
  readonly name: string | null | undefined;
  readonly words: Words;
  /** Says in the header when the run finished. */
  readonly ago: (iso: string) => string;
  /** Says it whole. */
  readonly date: (iso: string) => string;
}

/** What a reader can do with a card. */
export interface CardActions {
  readonly toggled: (open: boolean) => void;
  readonly retry: () => void;
}

/** The card as a template: a pure function of its facts. */
export function cardView(facts: CardFacts, actions: CardActions): TemplateResult {
  const { model, variant, unfolded } = facts;
  const { pulse, state } = model;
  const waiting = !pulse && !isTold(model);
  const told = pulse ? pulseView(facts, pulse, actions) : toldView(facts, actions);
  return html`<article
    part="card"
    class="${`${variant} ${unfolded ? 'open' : ''} ${badgeOf(facts)} ${waiting ? 'wait' : ''}`}"
    aria-labelledby="name"
    aria-busy="${state === 'loading'}"
    tabindex="-1"
  >
    ${waiting ? waitingView(variant) : [headerView(facts), told]}
  </article>`;
}

/** What the page gave to show meanwhile, else bones. */
function waitingView(variant: Variant): TemplateResult {
  const hasChart = variant === 'card' || variant === 'chart';
  return html`<slot
    ><div part="skeleton" aria-hidden="true">
      <header>
        <p></p>
        <small></small>
      </header>
      ${hasChart ? html`<div class="plate"></div>` : nothing}
      <p></p>
      <p></p>
      <footer><small></small></footer></div
  ></slot>`;
}

function headerView(facts: CardFacts): TemplateResult {
  const { model, headingLevel, words, ago, date } = facts;
  const { pulse, source } = model;
  const badge = badgeOf(facts);
  const name = pulse?.sourceName ?? source?.name ?? (facts.name || words.chart);
  const at = pulse?.completedAt;
  return html`<header part="header">
    <div part="heading" id="name" role="heading" aria-level="${headingLevel}" dir="${directionOf(name)}">
      <slot name="heading">${name}</slot>
    </div>
    <small
      >${badge && html`<span part="status" class="${badge}">${words[badge]}</span>`}
      ${at ? html`<time part="time" datetime="${at}" title="${date(at)}">${ago(at)}</time>` : nothing}</small
    >
  </header>`;
}

function pulseView(facts: CardFacts, pulse: Pulse, actions: CardActions): unknown[] {
  const { variant, words, model, ago } = facts;
  const isChart = variant === 'chart';
  const isWritten = pulse.aiSummaryShort ?? pulse.aiSummaryLong;
  const since = model.source?.oldSince;
  const notes = [isWritten ? words.generated : '', since ? ago(since) : '', model.state === 'stale' ? words.late : ''];
  return [
    variant === 'text' ? nothing : chartView(facts, pulse),
    isChart ? nothing : html`<p part="summary">${inlineView(pulse.aiSummaryShort ?? '')}</p>`,
    isChart ? nothing : analysisView(facts, pulse, actions),
    html`<footer part="footer">
      ${isChart ? nothing : html`<small>${notes.map((note) => note && html`<span>${note}</span>`)}</small>`}<slot
        name="footer"
      ></slot
      ><slot name="actions"></slot>
    </footer>`,
  ];
}

/** A summary without its marks. */
export function plain(summary: string): string {
  return summary.replace(/[*`]/g, '');
}

/** Charts are drawn 1600 by 900; another shape is shown whole within that room. */
function chartView({ words }: CardFacts, { imageUrl, aiSummaryShort, sourceName }: Pulse): TemplateResult {
  const alt = plain(aiSummaryShort ?? '') || (sourceName ?? words.chart);
  if (!imageUrl) return html`<div part="chart" class="plate">${words.noChart}</div>`;
  return html`<div part="chart" class="plate">
    <img
      part="image"
      src="${imageUrl}"
      alt="${alt}"
      width="1600"
      height="900"
      referrerpolicy="no-referrer"
      .onerror="${imageSettled}"
      .onload="${imageSettled}"
    />
    <button aria-label="${words.enlarge}" .onclick="${enlarge}"></button>
    <dialog aria-labelledby="name" .onclick="${reduce}">
      <img src="${imageUrl}" alt="${alt}" loading="lazy" referrerpolicy="no-referrer" /><button>${words.close}</button>
    </dialog>
    <span>${words.noImage}</span>
  </div>`;
}

function imageSettled({ type, target }: Event): void {
  (target as HTMLElement).hidden = type === 'error';
}

function enlarge({ target }: Event): void {
  ((target as Element).nextElementSibling as HTMLDialogElement).showModal();
}

function reduce({ currentTarget }: Event): void {
  (currentTarget as HTMLDialogElement).close();
}

/** The date stands with the analysis, where touch and print find it too. */
function analysisView(
  facts: CardFacts,
  { aiSummaryShort, aiSummaryLong, completedAt }: Pulse,
  actions: CardActions,
): unknown {
  const { unfolded, words, date } = facts;
  if (!aiSummaryLong && (aiSummaryShort ?? '').length <= FITS) return nothing;
  const toggled = ({ target }: Event) => actions.toggled((target as HTMLDetailsElement).open);
  return html`<details .open="${unfolded}" .ontoggle="${toggled}">
    <summary part="toggle">${unfolded ? words.hide : words.read}</summary>
    <div part="analysis">
      ${markdownView(aiSummaryLong ?? '')}
      <small>${completedAt && date(completedAt)}</small>
    </div>
  </details>`;
}

/** What is said of a failure, with the way to try again where that helps. */
export function toldView(
  { model, words }: { readonly model: PulseModel<unknown>; readonly words: Words },
  { retry }: Pick<CardActions, 'retry'>,
  text?: string,
): unknown {
  const { state, failure } = model;
  if (!failure) return nothing;
  text ??= failureText(words, failure);
  if (failure.code === 'pulse_not_found') return emptyView(text);
  const again = html`<button aria-disabled="${state === 'loading'}" .onclick="${retry}">${words.retry}</button>`;
  return html`<div part="error" class="plate">
    <slot name="error">${text}</slot>${failure.retriable ? again : nothing}
  </div>`;
}

/** What is said where there is nothing yet. */
export function emptyView(text: string): TemplateResult {
  return html`<div class="plate"><slot name="empty">${text}</slot></div>`;
}

/** What the reader should know before reading, as a word for it: never by colour alone. */
function badgeOf({ model }: CardFacts): 'earlier' | 'BROKEN' | 'DEGRADED' | '' {
  if (model.state === 'stale') return 'earlier';
  const status = model.source?.status;
  return status === 'BROKEN' || status === 'DEGRADED' ? status : '';
}
