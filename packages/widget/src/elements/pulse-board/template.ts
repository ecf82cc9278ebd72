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

interface Option {
  readonly label: string;
  readonly isChosen: boolean;
  readonly choose: () => void;
  /** How many sources there are. */
  readonly count?: number;
}

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
  const attentionOption = (label: string, attention: boolean | null, count: number): Option => {
    return { label, count, isChosen: filter.attention === attention, choose: () => onFilter({ attention }) };
  };
  const providerOption = (label: string, provider: string | null, count: number): Option => {
    return { label, count, isChosen: filter.provider === provider, choose: () => onFilter({ provider }) };
  };
  const orderOption = (label: string, value: SortOrder): Option => {
    return { label, isChosen: order === value, choose: () => onSort(value) };
  };
  const attentions = [
    attentionOption(messages.all, null, all),
    attentionOption(messages.needsAttention, true, count),
    attentionOption(messages.upToDate, false, all - count),
  ];
  const byProvider = Map.groupBy(sources, ({ provider }) => provider ?? '');
  const providers = [...byProvider].map(([code, { length }]) => providerOption(providerName(code), code, length));
  // Choosing a provider is of use once one of several has two sources.
  const hasProviders = byProvider.size > 1 && byProvider.size < all;
  if (!count && !hasProviders) return nothing;
  return html`<div part="filter" class="bar" lang=${messagesLanguage}>
    ${count ? segmentsTemplate(messages.status, attentions) : nothing}
    ${hasProviders ? selectTemplate('', messages.provider, [providerOption(messages.allProviders, null, all), ...providers]) : nothing}
    ${selectTemplate('sort', messages.sortBy, [
      orderOption(messages.attentionFirst, 'attention'),
      orderOption(messages.newestFirst, 'newest'),
      orderOption(messages.name, 'name'),
    ])}
  </div>`;
}

/** A few options beside each other, or a select where there is little room. */
function segmentsTemplate(label: string, options: readonly Option[]): unknown[] {
  const buttons = options.map(
    ({ label, isChosen, count, choose }) =>
      html`<button aria-pressed=${isChosen} @click=${choose}>${label} <span>${count}</span></button>`,
  );
  return [
    html`<div class="segments" role="group" aria-label=${label}>${buttons}</div>`,
    selectTemplate('narrow', label, options),
  ];
}

function selectTemplate(kind: string, label: string, options: readonly Option[]): TemplateResult {
  const onChange = ({ target }: Event) => options[(target as HTMLSelectElement).selectedIndex]?.choose();
  const items = options.map(
    ({ label, isChosen, count }) => html`<option ?selected=${isChosen}>${label}${count ? ` (${count})` : ''}</option>`,
  );
  return html`<label class="select ${kind}">
    ${kind === 'sort' ? icon('sortBy') : nothing}<select aria-label=${label} @change=${onChange}>
      ${items}
    </select>
  </label>`;
}
