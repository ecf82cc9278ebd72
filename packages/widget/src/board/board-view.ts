import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Variant } from '../card-size.ts';
import { isTold, type PulseModel } from '../pulse-state.ts';
import { emptyView, toldView } from '../pulse-view.ts';
import { type Words, wordFor } from '../words.ts';
import type { ListedSource, SourceList } from './source-list.ts';

/** What stands for the sources until they have come: two rows on most screens. */
const UNKNOWN = Array.from({ length: 6 }, (): Partial<ListedSource> => ({}));

/** All that the template of a board is made from. */
export interface BoardFacts {
  readonly model: PulseModel<SourceList>;
  readonly words: Words;
  /** The provider whose sources the reader wants to see; all, where none of them has it. */
  readonly chosen: string | null;
  readonly cards: CardSettings;
}

/** What a board hands on to its cards. */
export interface CardSettings {
  readonly baseUrl: string;
  readonly variant: Variant;
  readonly theme: string;
  readonly loading: string;
  readonly headingLevel: number;
  readonly live: boolean;
}

/** What a reader can do with a board. */
export interface BoardActions {
  readonly choose: (provider: string | null) => void;
  readonly retry: () => void;
}

/** The board as a template: a pure function of its facts. */
export function boardView(facts: BoardFacts, actions: BoardActions): TemplateResult {
  const { model, words } = facts;
  const { pulse: sources, state } = model;
  const isFailed = !sources && isTold(model);
  const isEmpty = sources && !sources[0];
  return html`<article part="board" class="board" aria-busy="${state === 'loading'}" tabindex="-1">
    ${isFailed ? toldView(facts, actions, words.noList) : isEmpty ? emptyView(words.noSources) : listView(facts, actions)}
  </article>`;
}

function listView({ model, words, chosen, cards }: BoardFacts, { choose }: BoardActions): unknown {
  const { pulse: sources } = model;
  const providers = [...new Set(sources?.map(({ provider }) => provider))];
  const only = providers.includes(chosen) && chosen;
  const filter = providers.map(
    (provider) =>
      html`<button aria-pressed="${provider === only}" .onclick="${() => choose(provider)}">${provider}</button>`,
  );
  return [
    providers[1] ? html`<header part="filter" role="group" aria-label="${words.provider}">${filter}</header>` : nothing,
    // A slot of no name shows what the page gave meanwhile; one of another, what is in it.
    html`<slot name="${sources ? 'list' : ''}"
      ><ul>
        ${(sources ?? UNKNOWN).map((source) => itemView(source, !!only && source.provider !== only, words, cards))}
      </ul></slot
    >`,
  ];
}

function itemView(source: Partial<ListedSource>, hidden: boolean, words: Words, cards: CardSettings): TemplateResult {
  const { id, name, provider, status, connectionCount, link } = source;
  const meaning = status && wordFor(words, status);
  return html`<li .hidden="${hidden}">
    <pulse-card
      source-id="${id}"
      base-url="${cards.baseUrl}"
      variant="${cards.variant}"
      theme="${cards.theme}"
      loading="${cards.loading}"
      heading-level="${cards.headingLevel}"
      live="${cards.live ? '' : nothing}"
      ><span slot="${name ? 'heading' : 'none'}" dir="auto">${name}</span></pulse-card
    >
    <header part="facts">
      <span part="status" class="${status}" .hidden="${!status}">${meaning ? `${status} · ${meaning}` : status}</span>
      <small>${provider}</small>
      <small>${typeof connectionCount === 'number' ? `${words.connections} ${connectionCount}` : ''}</small>
      <a part="link" href="${link ?? nothing}" target="_blank">${link && words.dashboard}</a>
    </header>
  </li>`;
}
