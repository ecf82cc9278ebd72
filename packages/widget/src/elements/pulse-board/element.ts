import { type CSSResult, type PropertyDeclarations, type PropertyValues, type TemplateResult, unsafeCSS } from 'lit';
import { resolveBaseUrl } from '../../base-url.ts';
import type { PulseStatus, ResourceState } from '../../controllers/resource-state.ts';
import { type ListedSource, parseSources, type SourceList } from '../../data/parse-sources.ts';
import type { Failure, Result } from '../../data/result.ts';
import { BOARD_ENGLISH, type CardMessages, type BoardMessages } from '../../i18n/messages.ts';
import { warnOnce } from '../../diagnostics/warn-once.ts';
import { create } from '../../dom.ts';
import type { PulseCard } from '../pulse-card/element.ts';
import type { Listing } from '../pulse-card/listing.ts';
import type { ElementLoadOptions, ElementView } from '../element-view.ts';
import { PulseElement } from '../pulse-element.ts';
import { needsAttention, sortSources, type SortOrder } from './sources.ts';
import { boardStyles } from './styles.ts';
import { boardTemplate, type BoardView, effectiveFilter, type Filter } from './template.ts';

/** The parts of a card, which pages can style through the board. */
const CARD_PARTS =
  'base,header,name,note,heading,status,time,chart,image,enlarge,lead,summary,footer,source,actions,toggle,analysis,history,empty,error,retry,show,skeleton,dialog,close';

/**
 * Shows the account's sources as cards, with the newest pulse first. The service lists at most ten sources.
 *
 * @tagname pulse-board
 *
 * @attr {string} lang - The language of text, dates, and numbers. The default is the page's language.
 * @attr {string} token - A static token, for pages without a `tokenProvider`. The board reads the attribute and then
 *   removes it.
 * @attr {boolean} defer-hydration - Keeps the board from requesting anything until the attribute is removed.
 *
 * @slot - Content that the page shows until the list has loaded, and whenever scripts don't run.
 * @slot empty - Replaces the message for an account without sources.
 * @slot error - Replaces the error message.
 * @slot signed-out - Replaces the message for a reader whose session has ended.
 *
 * @csspart board - The whole board. The parts of its cards are also parts of the board.
 * @csspart filter - The row above the cards, with the filters and the sort order.
 * @csspart tabs - The buttons that filter by status.
 * @csspart select - Every select element: provider, order, and (on narrow boards) status.
 * @csspart sort - The select element for the sort order.
 * @csspart empty - The message for an account without sources.
 * @csspart error - The error message.
 * @csspart retry - The button that sends the request again after a failure.
 * @csspart show - The button that loads the board if `loading="click"`. It shows the host.
 *
 * @cssprop [--pulse-board-gap=1.25em] - The space between cards. The board also uses the card's custom properties.
 *
 * @cssstate idle - The board hasn't requested anything yet.
 * @cssstate loading - The board has sent a request and has nothing to show yet.
 * @cssstate ready - The board shows the list, or the message that the list is empty.
 * @cssstate stale - The board shows an earlier list.
 * @cssstate error - The request failed, and there is nothing to show.
 *
 * @fires {CustomEvent<PulseStateDetail>} pulse-state - The board's state has changed: `{ state, previous }`. The detail
 *   of every event also has `sourceId`, which is null for the list.
 * @fires {CustomEvent<PulseBoardLoadDetail>} pulse-board-load - A list has loaded: `{ sources, stale }`.
 * @fires {CustomEvent<PulseErrorDetail>} pulse-error - The list couldn't be loaded: `{ code, status, retriable, message
 *   }`. The cards' events also bubble out of the board.
 */
export class PulseBoard extends PulseElement<SourceList> {
  static override properties: PropertyDeclarations = {
    provider: { useDefault: true },
    columns: { type: Number },
    sort: { useDefault: true },
  };

  static override styles: CSSResult = unsafeCSS(boardStyles);

  /** The provider whose sources are listed. The default is all providers. */
  declare provider: string;
  /**
   * The maximum number of columns, 1 to 6. The board uses fewer columns if cards would be narrower than 20em. The
   * default is as many columns as fit.
   */
  declare columns: number;
  /** The initial order of the cards. The reader can choose a different order. `newest` sorts by completion time. */
  declare sort: SortOrder;

  #cards: readonly PulseCard[] = [];
  /** The IDs of the sources whose next run is overdue. */
  readonly #overdue = new Set<string>();
  /** Whether the cards are shown. `newest` waits for the first pulses, so that no card moves. */
  #hasOrder = false;
  /** Whether the next update sorts the cards, even while someone is using the board. */
  #mustSort = false;
  /** The filter that the reader has chosen. It applies while its control is shown. */
  #filter: Filter = { attention: null, provider: null };

  constructor() {
    super();
    this.provider = '';
    this.sort = 'newest';
    for (const type of ['pulse-state', 'pulse-load', 'pulse-update'] as const)
      this.addEventListener(type, this.#onCardChange);
  }

  /**
   * Requests the list and all loaded pulses again. Resolves with the board's state when the board shows the responses.
   */
  override async refresh(): Promise<PulseStatus> {
    await super.refresh();
    await Promise.all(this.#cards.filter(({ state }) => state !== 'idle').map((card) => card.refresh()));
    this.#mustSort = true;
    this.requestUpdate();
    await this.updateComplete;
    return this.state;
  }

  /** Keeps each card's element when the order changes, so that expanded cards stay expanded. */
  protected override update(changed: PropertyValues): void {
    const isSorted = this.#mustSort || changed.has('sort') || !this.#hasOrder || !this.#isInUse();
    this.#mustSort = false;
    const sources = isSorted ? this.#sorted() : this.#inPlace();
    if (sources[0] && !customElements.get('pulse-card'))
      warnOnce('<pulse-board> shows <pulse-card> elements; define them in the page’s own registry');
    this.#cards = sources.map((source) => this.#cardOf(source));
    const isWaiting = this.sort === 'newest' && this.#cards.every(isPending);
    this.#hasOrder = !!this._state.data && (this.#hasOrder || !isWaiting);
    super.update(changed);
  }

  readonly #onCardChange = ({ type }: Event): void => {
    const isInOrder = this.#sorted().every(({ id }, at) => id === this.#cards[at]?.sourceId);
    if (this.#hasOrder && isInOrder) return;
    this.#mustSort ||= type === 'pulse-load';
    this.requestUpdate();
  };

  readonly #needsAttention = (source: ListedSource): boolean => needsAttention(source, this.#overdue.has(source.id));

  #sorted(): SourceList {
    const completedAt = ({ id }: ListedSource) => this.#cardFor(id)?.currentPulse?.completedAt;
    return sortSources(this._state.data ?? [], this.sort, { completedAt, needsAttention: this.#needsAttention });
  }

  /** The sources in the order of their cards. New sources come last. */
  #inPlace(): SourceList {
    const places = new Map(this.#cards.map(({ sourceId }, place) => [sourceId, place]));
    const placeOf = ({ id }: ListedSource) => places.get(id) ?? Infinity;
    return this.#sorted().toSorted((a, b) => placeOf(a) - placeOf(b) || 0);
  }

  /** Whether moving a card would disturb the reader. */
  #isInUse(): boolean {
    return this.matches(':hover, :focus-within') || this.#cards.some(({ open }) => open);
  }

  #cardFor(id: string): PulseCard | undefined {
    return this.#cards.find(({ sourceId }) => sourceId === id);
  }

  /** @internal */
  override get _key(): string {
    return `${this._bff} ${this.provider}`;
  }

  protected override _textFacts(): unknown {
    return [this._state.data, this.#overdue.size];
  }

  protected override async _load({ getSession, ...options }: ElementLoadOptions): Promise<Result<SourceList>> {
    const query = this.provider ? `?provider=${encodeURIComponent(this.provider)}` : '';
    const { body, failure } = await getSession().request(`/v1/sources${query}`, options);
    return failure ?? parseSources(body);
  }

  /** @internal */
  override _messageOf({ code }: Failure, messages: CardMessages): string {
    return code === 'signed_out' ? messages.signedOut : boardMessages(messages).noList;
  }

  protected override _render(view: ElementView<SourceList>): TemplateResult {
    const needsAttention = this.#needsAttention;
    const filter = effectiveFilter(this.#filter, this._state.data ?? [], needsAttention);
    const { attention, provider } = filter;
    const isShown = (source: ListedSource) =>
      (attention === null || attention === needsAttention(source)) &&
      (provider === null || provider === (source.provider ?? ''));
    const boardView: BoardView = {
      ...view,
      messages: boardMessages(view.messages),
      cards: this.#cards.filter(({ _$listing }) => isShown((_$listing as Listing).source)),
      isWaiting: !this.#hasOrder,
      needsAttention,
      filter,
      order: this.sort,
      columns: this.columns,
      onFilter: (choice) => {
        this.#filter = { ...filter, ...choice };
        this.requestUpdate();
      },
      onSort: (order) => (this.sort = order),
    };
    return boardTemplate(boardView);
  }

  /** @internal */
  override _onChange(before: ResourceState<SourceList>, after: ResourceState<SourceList>): void {
    const { data: sources, status } = after;
    if (sources && sources !== before.data) this._dispatch('pulse-board-load', { sources, stale: status === 'stale' });
  }

  #cardOf(source: ListedSource): PulseCard {
    const card = this.#cardFor(source.id) ?? createCard();
    for (const name of PulseElement.elementProperties.keys())
      if (name !== 'token') Object.assign(card, { [name]: this[name as keyof this] });
    card.setAttribute('exportparts', CARD_PARTS);
    // A card renders again if it gets a different object.
    if (card._$listing?.source !== source)
      card._$listing = { source, onOverdueChange: (isOverdue) => this.#onOverdueChange(source, isOverdue) };
    return Object.assign(card, {
      sourceId: source.id,
      // The cards might come from a different copy of the script.
      baseUrl: resolveBaseUrl(this.baseUrl),
      // The reader has already asked for the whole board.
      loading: this.loading === 'click' ? 'lazy' : this.loading,
    });
  }

  #onOverdueChange({ id }: ListedSource, isOverdue: boolean): void {
    this.#overdue[isOverdue ? 'add' : 'delete'](id);
    this.requestUpdate();
  }
}

/** Whether a card is still waiting for its pulse. A card that won't send a request isn't pending. */
function isPending({ hasUpdated, state }: PulseCard): boolean {
  return !hasUpdated || state === 'loading';
}

/** Adds the English messages that a translation omits. */
function boardMessages(messages: CardMessages): BoardMessages {
  return { ...BOARD_ENGLISH, ...messages };
}

function createCard(): PulseCard {
  return create('pulse-card');
}

declare global {
  interface HTMLElementTagNameMap {
    'pulse-board': PulseBoard;
  }
}
