import { html, nothing, type TemplateResult } from 'lit';
import { isErrorVisible, type ResourceState } from '../../controllers/resource-state.ts';
import type { SourceList } from '../../data/parse-sources.ts';
import type { Messages } from '../../i18n/messages.ts';
import { providerName } from '../../i18n/provider-name.ts';
import { icon } from '../icons.ts';
import { noticeTemplate, skeletonTemplate } from '../pulse-card/template.ts';
import { variantOf } from '../variants.ts';
import { needsAttention, type SortOrder } from './sources.ts';

/** What the reader wants to see; null for all. */
export interface Filter {
  readonly attention: boolean | null;
  readonly provider: string | null;
}

/** Everything that the template of a board is made from. */
export interface BoardView {
  readonly state: ResourceState<SourceList>;
  /** The cards in their order; those that a filter leaves out are hidden. */
  readonly items: readonly { readonly card: Element; readonly isHidden: boolean }[];
  readonly filter: Filter;
  readonly order: SortOrder;
  readonly columns: unknown;
  readonly variant: unknown;
  readonly theme: string;
  readonly messages: Messages;
  readonly messagesLanguage: string;
  /** Whether the page has put something into the board to be shown until it is ready. */
  readonly hasFallback: boolean;
}

/** What a reader, or the browser, does with a board. */
export interface BoardActions {
  readonly onFilter: (filter: Partial<Filter>) => void;
  readonly onSort: (order: SortOrder) => void;
  readonly onRetry: () => void;
  readonly onFallbackChange: () => void;
}

/** What can be chosen: a value, its label, and how many sources have it. */
type Option<T> = readonly [value: T, label: string, count?: number];

/** Two rows on most screens. */
const SKELETONS = 6;

/** The content of a board. */
export function boardTemplate(view: BoardView, actions: BoardActions): TemplateResult {
  const isLoading = view.state.status === 'loading';
  return html`<div part="board" class="base board ${view.theme}" aria-busy=${isLoading} tabindex="-1">
    ${contentTemplate(view, actions)}
  </div>`;
}

function contentTemplate(view: BoardView, actions: BoardActions): unknown {
  const { state, messages } = view;
  const { data: sources } = state;
  if (sources?.[0]) return [barTemplate(view, sources, actions), listTemplate(view)];
  if (sources) return noticeTemplate(view, 'empty', actions, messages.noSources);
  if (!isErrorVisible(state)) return waitingTemplate(view, actions);
  return noticeTemplate(view, 'error', actions, messages.noList);
}

function waitingTemplate(view: BoardView, { onFallbackChange }: BoardActions): TemplateResult {
  const skeleton = html`<li><div class="base ${variantOf(view.variant)}">${skeletonTemplate(undefined)}</div></li>`;
  const list = html`<ul class="columns-${view.columns}" aria-hidden="true">
    ${Array(SKELETONS).fill(skeleton)}
  </ul>`;
  return html`<slot @slotchange=${onFallbackChange}></slot>${view.hasFallback ? nothing : list}`;
}

/** `columns` is a class, as a policy may forbid inline styles. */
function listTemplate({ items, columns }: BoardView): TemplateResult {
  return html`<ul class="columns-${columns}" role="list">
    ${items.map(({ card, isHidden }) => html`<li ?hidden=${isHidden}>${card}</li>`)}
  </ul>`;
}

/** Filters and order, where a filter is of use. */
function barTemplate(view: BoardView, sources: SourceList, { onFilter, onSort }: BoardActions): unknown {
  const { filter, order, messages, messagesLanguage } = view;
  const count = sources.filter(needsAttention).length;
  const all = sources.length;
  const attentions: readonly Option<boolean | null>[] = [
    [null, messages.all, all],
    [true, messages.needsAttention, count],
    [false, messages.upToDate, all - count],
  ];
  const byProvider = Map.groupBy(sources, ({ provider }) => provider ?? '');
  const providers: readonly Option<string | null>[] = [
    [null, messages.allProviders, all],
    ...[...byProvider].map(([code, { length }]) => [code, providerName(code), length] as const),
  ];
  const orders: readonly Option<SortOrder>[] = [
    ['attention', messages.attentionFirst],
    ['newest', messages.newestFirst],
    ['name', messages.name],
  ];
  const onAttention = (attention: boolean | null): void => onFilter({ attention });
  const onProvider = (provider: string | null): void => onFilter({ provider });
  // Choosing a provider is of use once one of several has two sources.
  const hasProviders = byProvider.size > 1 && byProvider.size < all;
  if (!count && !hasProviders) return nothing;
  return html`<div part="filter" class="bar" lang=${messagesLanguage}>
    ${count ? segmentsTemplate(messages.status, attentions, filter.attention, onAttention) : nothing}
    ${hasProviders ? selectTemplate('', messages.provider, providers, filter.provider, onProvider) : nothing}
    ${selectTemplate('sort', messages.sortBy, orders, order, onSort)}
  </div>`;
}

/** A few options beside each other, or a select where there is little room. */
function segmentsTemplate<T>(
  label: string,
  options: readonly Option<T>[],
  chosen: T,
  choose: (value: T) => void,
): TemplateResult {
  const buttons = options.map(
    ([value, label, count]) =>
      html`<button aria-pressed=${value === chosen} @click=${() => choose(value)}>
        ${label} <span>${count}</span>
      </button>`,
  );
  return html`<div class="segments" role="group" aria-label=${label}>${buttons}</div>
    ${selectTemplate('narrow', label, options, chosen, choose)}`;
}

function selectTemplate<T>(
  kind: string,
  label: string,
  options: readonly Option<T>[],
  chosen: T,
  choose: (value: T) => void,
): TemplateResult {
  const onChange = ({ target }: Event): void =>
    choose((options[(target as HTMLSelectElement).selectedIndex] as Option<T>)[0]);
  const items = options.map(
    ([value, label, count]) =>
      html`<option ?selected=${value === chosen}>${label}${count ? ` (${count})` : ''}</option>`,
  );
  return html`<label class="select ${kind}">
    ${kind === 'sort' ? icon('sortBy') : nothing}<select aria-label=${label} @change=${onChange}>
      ${items}
    </select>
  </label>`;
}
