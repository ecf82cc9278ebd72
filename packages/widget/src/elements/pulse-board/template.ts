import { html, nothing, type TemplateResult } from 'lit';
import { isErrorVisible, type ResourceState } from '../../controllers/resource-state.ts';
import type { ListedSource, SourceList } from '../../data/parse-sources.ts';
import type { BoardMessages } from '../../i18n/messages.ts';
import { providerName } from '../../i18n/provider-name.ts';
import { strokes } from '../icons.ts';
import type { NoticeView, WaitingView } from '../pulse-card/card-view.ts';
import { askTemplate, noticeTemplate, skeletonTemplate, waitingTemplate } from '../pulse-card/notice-template.ts';
import type { SortOrder } from './sources.ts';

/** The reader's choices. Null means all. */
export interface Filter {
  readonly attention: boolean | null;
  readonly provider: string | null;
}

/** The view model for a board. */
export interface BoardView extends WaitingView, NoticeView {
  readonly state: ResourceState<SourceList>;
  /** The visible cards, in order. */
  readonly cards: readonly Element[];
  /** Whether the order of the cards is still unknown. If so, the cards load but aren't shown. */
  readonly isWaiting: boolean;
  readonly needsAttention: (source: ListedSource) => boolean;
  readonly filter: Filter;
  readonly order: SortOrder;
  readonly columns: number | undefined;
  readonly variant: string;
  readonly theme: string;
  readonly messages: BoardMessages;
  readonly onFilter: (filter: Partial<Filter>) => void;
  readonly onSort: (order: SortOrder) => void;
}

/** A choice: a value, its label, and the number of sources with this value. */
type Option<T> = readonly [value: T, label: string, count?: number];

/** The parts of `filter` whose controls are shown for `sources`. */
export function effectiveFilter(
  { attention, provider }: Filter,
  sources: SourceList,
  needsAttention: BoardView['needsAttention'],
): Filter {
  const byProvider = providersOf(sources);
  return {
    attention: sources.some(needsAttention) ? attention : null,
    provider: hasProviderFilter(byProvider, sources) && byProvider.has(provider ?? '') ? provider : null,
  };
}

function providersOf(sources: SourceList): Map<string, SourceList> {
  return Map.groupBy(sources, ({ provider }) => provider ?? '');
}

/** A provider filter is useful if there are several providers and at least one of them has two or more sources. */
function hasProviderFilter({ size }: ReadonlyMap<string, SourceList>, { length }: SourceList): boolean {
  return size > 1 && size < length;
}

/** The SVG path of the sort icon. */
const SORT = 'M3 5h10M3 8h7m-7 3h4';

/** The number of cards in two rows on most screens. */
const SKELETONS = 6;

/** A board's content. */
export function boardTemplate(view: BoardView): TemplateResult {
  const isBusy = view.state.status === 'loading' || (!!view.cards[0] && view.isWaiting);
  return html`<div part="board" class="base board ${view.theme}" aria-busy=${isBusy} tabindex="-1">
    ${contentTemplate(view)}
  </div>`;
}

function contentTemplate(view: BoardView): unknown {
  const { state, messages, cards, isWaiting, hasFallback } = view;
  const { data: sources } = state;
  if (view.askedHost) return askTemplate(view, messages.showCharts);
  if (sources?.[0])
    return [
      isWaiting && hasFallback ? nothing : barTemplate(view, sources),
      isWaiting ? skeletonsTemplate(view) : nothing,
      listTemplate(view, cards, isWaiting),
    ];
  if (sources) return noticeTemplate(view, 'empty', messages.noSources);
  if (isErrorVisible(state))
    return state.failure.code === 'signed_out'
      ? noticeTemplate(view, 'signedOut')
      : noticeTemplate(view, 'error', messages.noList);
  return skeletonsTemplate(view);
}

/** The content until there are cards to show: the page's own content, or skeletons. */
function skeletonsTemplate(view: BoardView): TemplateResult {
  const skeleton = html`<article class="base ${view.variant}">${skeletonTemplate()}</article>`;
  const count = Math.min(view.cards.length || SKELETONS, SKELETONS);
  return waitingTemplate(view, html`<div aria-hidden="true">${listTemplate(view, Array(count).fill(skeleton))}</div>`);
}

/** The style is set as a property, because a policy can forbid inline styles. */
function listTemplate({ columns }: BoardView, items: readonly unknown[], isHidden = false): TemplateResult {
  const style = `--_columns:${columns || 9}`;
  return html`<ul role="list" ?hidden=${isHidden} .style=${style}>
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`;
}

/** The controls for the filters and the order, if a filter is useful. */
function barTemplate(view: BoardView, sources: SourceList): unknown {
  const { needsAttention, filter, order, messages, onFilter, onSort } = view;
  const all = sources.length;
  const count = sources.filter(needsAttention).length;
  const attentions: readonly Option<boolean | null>[] = [
    [null, messages.all, all],
    [true, messages.needsAttention, count],
    [false, messages.upToDate, all - count],
  ];
  const byProvider = providersOf(sources);
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
  const hasProviders = hasProviderFilter(byProvider, sources);
  if (!count && !hasProviders) return nothing;
  return html`<div part="filter" class="bar" lang=${messages.lang}>
    ${count ? segmentsTemplate(messages.status, attentions, filter.attention, onAttention) : nothing}
    ${hasProviders ? selectTemplate('', messages.provider, providers, filter.provider, onProvider) : nothing}
    ${selectTemplate('sort', messages.sortBy, orders, order, onSort)}
  </div>`;
}

/** A row of buttons, or a select element if space is tight. */
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
  return html`<div part="tabs" class="segments" role="group" aria-label=${label}>${buttons}</div>
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
      html`<option .selected=${value === chosen}>${label}${count ? ` (${count})` : ''}</option>`,
  );
  return html`<label part=${kind === 'sort' ? 'select sort' : 'select'} class="select ${kind}">
    ${kind === 'sort' ? strokes(SORT) : nothing}<select aria-label=${label} @change=${onChange}>
      ${items}
    </select>
  </label>`;
}
