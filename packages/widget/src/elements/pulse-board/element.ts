import type { CSSResult, PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { resolveBaseUrl } from '../../base-url.ts';
import type { PulseStatus, ResourceState } from '../../controllers/resource-state.ts';
import { type ListedSource, parseSources, type SourceList } from '../../data/parse-sources.ts';
import type { Result } from '../../data/result.ts';
import { BOARD_ENGLISH, type CardMessages, type BoardMessages } from '../../i18n/messages.ts';
import { dispatch } from '../events.ts';
import type { PulseCard } from '../pulse-card/element.ts';
import { type ElementLoadOptions, type ElementTask, type ElementView, PulseElement } from '../pulse-element.ts';
import { needsAttention, sortSources, type SortOrder } from './sources.ts';
import { boardStyles } from './styles.ts';
import { boardTemplate, type BoardView, effectiveFilter, type Filter } from './template.ts';

/** The parts of a card, which pages can style through the board. */
const CARD_PARTS =
  'base,header,name,note,heading,status,time,chart,image,enlarge,lead,summary,footer,source,actions,toggle,analysis,history,empty,error,retry,show,skeleton,dialog,close';

/**
 * Shows every source of the account as a card, the newest pulse first. The service lists ten sources at most.
 *
 * @tagname pulse-board
 *
 * @attr {string} lang - The language of words, dates and numbers; the page's own, unless set.
 * @attr {string} token - A token that never changes, for pages without a `tokenProvider`; it is taken in and removed.
 * @attr {boolean} defer-hydration - Nothing is requested until the attribute is removed.
 *
 * @slot - What the page shows until the list is there, and wherever scripts do not run.
 * @slot empty - In place of the words for an account without sources.
 * @slot error - In place of the words for a failure.
 * @slot signed-out - In place of the words for a reader whose session has ended.
 *
 * @csspart board - The whole board. The parts of its cards are its parts, too.
 * @csspart filter - The row above the cards: status, provider, order.
 * @csspart tabs - The segments that filter by status.
 * @csspart select - Each select: status on narrow boards, provider, order.
 * @csspart sort - The select for the order.
 * @csspart empty - What is said of an account without sources.
 * @csspart error - What is said of a failure.
 * @csspart retry - The button that requests again.
 * @csspart show - The button of `loading="click"`, which names the host.
 *
 * @cssprop [--pulse-board-gap=1.25em] - The room between cards. Cards and board share the properties of the card.
 *
 * @cssstate idle - Nothing requested yet.
 * @cssstate loading - Requesting, with nothing to show.
 * @cssstate ready - Shows the list, or that it is empty.
 * @cssstate stale - Shows an earlier list.
 * @cssstate error - There is nothing to show.
 *
 * @fires {CustomEvent<PulseStateDetail>} pulse-state - The board is in another state: `{ state, previous }`. The detail of each event has `sourceId`, too: null for the list.
 * @fires {CustomEvent<PulseBoardLoadDetail>} pulse-board-load - A list is there: `{ sources, stale }`.
 * @fires {CustomEvent<PulseErrorDetail>} pulse-error - The list could not be had: `{ code, status, retriable, message }`. The events of the cards come out of the board, too.
 */
export class PulseBoard extends PulseElement<SourceList> {
  static override properties: PropertyDeclarations = {
    provider: { useDefault: true },
    columns: { type: Number },
    sort: { useDefault: true },
  };

  static override styles: CSSResult[] = boardStyles;

  /** The provider whose sources are listed; all, unless set. */
  declare provider: string;
  /** The most columns, 1 to 6; fewer where cards would be narrower than 20em. As many as fit, unless set. */
  declare columns: number;
  /** The order at first; the reader can choose another. `newest` sorts by completion time. */
  declare sort: SortOrder;

  static readonly #task: ElementTask<PulseBoard, SourceList> = {
    key: (board) => `${resolveBaseUrl(board.baseUrl)} ${board.provider}`,
    load: (board, options) => board.#load(options),
    template: (board, view) => board.#template(view),
    onChange: (board, before, after) => board.#onChange(before, after),
    message: (failure, messages) =>
      failure.code === 'signed_out' ? messages.signedOut : boardMessages(messages).noList,
  };

  #cards: readonly PulseCard[] = [];
  /** Whether the cards are shown: `newest` waits for the first pulses, so that no card changes its place. */
  #hasOrder = false;
  /** Whether cards may change places while someone uses the board. */
  #mustSort = false;
  /** The reader's choice; it counts while there is a control to change it. */
  #filter: Filter = { attention: null, provider: null };

  constructor() {
    super(PulseBoard.#task);
    this.provider = '';
    this.sort = 'newest';
    for (const type of ['pulse-state', 'pulse-load', 'pulse-update'] as const)
      this.addEventListener(type, this.#onCardChange);
  }

  /** Requests the list again, and the pulses that were requested before; resolves when the answers are shown. */
  override async refresh(): Promise<PulseStatus> {
    await super.refresh();
    await Promise.all(this.#cards.filter(({ state }) => state !== 'idle').map((card) => card.refresh()));
    this.#mustSort = true;
    this.requestUpdate();
    // Before its first update, an element may be deferred.
    if (this.isConnected && this.hasUpdated) await this.updateComplete;
    return this.state;
  }

  /** A card stays the same element wherever the order puts it, so that what the reader has unfolded stays unfolded. */
  protected override update(changed: PropertyValues): void {
    const isSorted = this.#mustSort || changed.has('sort') || !this.#hasOrder || !this.#isInUse();
    this.#mustSort = false;
    const sources = isSorted ? this.#sorted() : this.#inPlace();
    this.#cards = sources.map((source) => this.#cardOf(source));
    const isWaiting = this.sort === 'newest' && this.#cards.every(isPending);
    this.#hasOrder = !!this.shownData && (this.#hasOrder || !isWaiting);
    super.update(changed);
  }

  readonly #onCardChange = ({ type }: Event): void => {
    const isInOrder = this.#sorted().every(({ id }, at) => id === this.#cards[at]?.sourceId);
    if (this.#hasOrder && isInOrder) return;
    this.#mustSort ||= type === 'pulse-load';
    this.requestUpdate();
  };

  readonly #needsAttention = (source: ListedSource): boolean =>
    needsAttention(source, this.#cardFor(source.id)?.isOverdue === true);

  #sorted(): SourceList {
    const completedAt = ({ id }: ListedSource) => this.#cardFor(id)?.currentPulse?.completedAt;
    return sortSources(this.shownData ?? [], this.sort, { completedAt, needsAttention: this.#needsAttention });
  }

  /** The sources in the order that their cards have; new ones are last. */
  #inPlace(): SourceList {
    const places = new Map(this.#cards.map(({ sourceId }, place) => [sourceId, place]));
    const placeOf = ({ id }: ListedSource) => places.get(id) ?? Infinity;
    return this.#sorted().toSorted((a, b) => placeOf(a) - placeOf(b) || 0);
  }

  /** Whether a card that changed its place would disturb someone. */
  #isInUse(): boolean {
    return this.matches(':hover, :focus-within') || this.#cards.some(({ open }) => open);
  }

  #cardFor(id: string): PulseCard | undefined {
    return this.#cards.find(({ sourceId }) => sourceId === id);
  }

  async #load({ getClient, ...options }: ElementLoadOptions): Promise<Result<SourceList>> {
    const query = this.provider ? `?provider=${encodeURIComponent(this.provider)}` : '';
    const { body, failure } = await getClient().request(`/v1/sources${query}`, options);
    return failure ?? parseSources(body);
  }

  #template(view: ElementView<SourceList>): TemplateResult {
    const needsAttention = this.#needsAttention;
    const filter = effectiveFilter(this.#filter, this.shownData ?? [], needsAttention);
    const { attention, provider } = filter;
    const isShown = (source: ListedSource) =>
      (attention === null || attention === needsAttention(source)) &&
      (provider === null || provider === (source.provider ?? ''));
    const boardView: BoardView = {
      ...view,
      messages: boardMessages(view.messages),
      cards: this.#cards.filter(({ listing }) => isShown(listing as ListedSource)),
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

  #onChange(before: ResourceState<SourceList>, after: ResourceState<SourceList>): void {
    const { data: sources, status } = after;
    if (sources && sources !== before.data)
      dispatch(this, 'pulse-board-load', { sourceId: null, sources, stale: status === 'stale' });
  }

  #cardOf(source: ListedSource): PulseCard {
    const card = this.#cardFor(source.id) ?? createCard();
    const { variant, theme, loading, headingLevel, live, tokenProvider, reader } = this;
    const { chartTheme, aiReviewedBy, aiReviewedRun, summaryLang, actions, history } = this;
    card.setAttribute('exportparts', CARD_PARTS);
    return Object.assign(card, {
      sourceId: source.id,
      listing: source,
      // The cards can be of another copy of the script.
      baseUrl: resolveBaseUrl(this.baseUrl),
      variant,
      theme,
      // The reader has asked for the whole board.
      loading: loading === 'click' ? 'lazy' : loading,
      headingLevel,
      live,
      tokenProvider,
      reader,
      chartTheme,
      aiReviewedBy,
      aiReviewedRun,
      summaryLang,
      actions,
      history,
      onOverdueChange: () => this.requestUpdate(),
    });
  }
}

/** Says whether a card has yet to request its pulse or to get the answer. A card that requests nothing isn't pending. */
function isPending({ hasUpdated, state }: PulseCard): boolean {
  return !hasUpdated || state === 'loading';
}

/** Adds the English messages for what a translation leaves out. */
function boardMessages(messages: CardMessages): BoardMessages {
  return { ...BOARD_ENGLISH, ...messages };
}

function createCard(): PulseCard {
  return Document.prototype.createElement.call(document, 'pulse-card') as PulseCard;
}

declare global {
  interface HTMLElementTagNameMap {
    'pulse-board': PulseBoard;
  }
}
