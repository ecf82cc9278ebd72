import { html, nothing, type TemplateResult } from 'lit';
import type { FailureKind } from '../../i18n/failure-kind.ts';
import { icon } from '../icons.ts';
import type { NoticeView, WaitingView } from './card-view.ts';

/** The content that the page provides, or `skeleton` if the page provides none. */
export function waitingTemplate({ hasFallback, onFallbackChange }: WaitingView, skeleton: unknown): TemplateResult {
  return html`<slot @slotchange=${onFallbackChange}></slot>${hasFallback ? nothing : skeleton}`;
}

/** Placeholders for the name, finding, chart, and footer. A link to `url` takes the place of the chart. */
export function skeletonTemplate(name?: string, url?: string): TemplateResult {
  const title = name ? html`<div id="name">${name}</div>` : html`<i></i>`;
  return html`<div part="skeleton">
    <header>${title}<i></i></header>
    <i></i><i></i><i></i>
    <div>${url && html`<a href=${url}>${url}</a>`}</div>
    <footer><i></i><i></i></footer>
  </div>`;
}

/** An icon, a message, and a button if retrying might help. */
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

/** The button for `loading="click"`. Its `text` contains the `{host}` placeholder. */
export function askTemplate({ messages, askedHost, onRetry }: NoticeView, text: string): TemplateResult {
  const [before, after] = text.split('{host}');
  return html`<div class="notice" lang=${messages.lang}>
    ${icon('empty')}
    <button part="show" dir="auto" aria-describedby="name" @click=${onRetry}>
      ${before}<bdi>${askedHost}</bdi>${after}
    </button>
  </div>`;
}
