import type { CSSResult, PropertyDeclarations, PropertyValues, TemplateResult } from 'lit';
import { announce, type Announcement } from '../../a11y/announcer.ts';
import { resolveBaseUrl } from '../../base-url.ts';
import { ChartController } from '../../controllers/chart.ts';
import { FallbackPicture } from '../../controllers/fallback-picture.ts';
import { HistoryController } from '../../controllers/history.ts';
import { DARK, matchesMedia, page, PageController } from '../../controllers/page.ts';
import { SizeController } from '../../controllers/size.ts';
import { ViewController } from '../../controllers/view.ts';
import { isOverdue, type PulseStatus, type ResourceState } from '../../controllers/resource-state.ts';
import { loadPulse } from '../../data/batch-loader.ts';
import { forgetTokens } from '../../data/client.ts';
import { adoptTranslation, embeddedData, isOutdated } from '../../data/embedded-data.ts';
import { parseEntry, parseOrFail } from '../../data/parse-pulse.ts';
import type { ListedSource } from '../../data/parse-sources.ts';
import type { Pulse } from '../../data/pulse.ts';
import { type Failure, failureOf, isOutage, type Result } from '../../data/result.ts';
import { givenUrl, isId } from '../../data/sanitize.ts';
import { warnOnce } from '../../diagnostics/warn-once.ts';
import type { ActionCard, ActionView } from '../../extras/action-card.ts';
import type { ButtonAction } from '../button-action.ts';
import { aiNote, reviewerOf } from '../../i18n/ai-note.ts';
import { absoluteTime, relativeTime } from '../../i18n/format-date.ts';
import { failureKind } from '../../i18n/failure-kind.ts';
import { registerTranslation } from '../../i18n/translations.ts';
import { plainText } from '../../markdown/markdown.ts';
import { dispatch } from '../events.ts';
import { type ElementLoadOptions, type ElementTask, type ElementView, PulseElement } from '../pulse-element.ts';
import { type Extras, loadExtras } from './load-extras.ts';
import { SHARED } from './shared-functions.ts';
import { cardStyles } from './styles.ts';
import { cardTemplate, type CardView, isLongFinding, noteTemplate } from './template.ts';

const FADE_MS = 150;

/**
 * Shows the latest pulse of one source: a finding, the chart that proves it, and its analysis.
 *
 * @tagname pulse-card
 *
 * @attr {string} lang - The language of words, dates and numbers; the page's own, unless set.
 * @attr {string} token - A token that never changes, for pages without a `tokenProvider`; it is taken in and removed.
 * @attr {boolean} defer-hydration - Nothing is requested until the attribute is removed.
 * @attr {boolean} data-public - Every reader may see what a server has rendered into the card.
 *
 * @slot - What the page shows until the card is ready, and wherever scripts do not run.
 * @slot name - In place of the name.
 * @slot source - Replaces the provider and its links.
 * @slot actions - At the end of the footer, before the toggle.
 * @slot footer - In the footer, at its start.
 * @slot empty - In place of the words for a source without a pulse.
 * @slot error - In place of the words for a failure.
 * @slot signed-out - In place of the words for a reader whose session has ended.
 *
 * @csspart base - The whole card.
 * @csspart header - The line above the finding: name, note, badge, time.
 * @csspart name - The name of the source.
 * @csspart note - "AI-generated".
 * @csspart heading - The finding.
 * @csspart status - The badge: an earlier version, updates that are paused, delayed or overdue, on boards a draft.
 * @csspart time - When the run completed.
 * @csspart chart - The plate that holds the chart, or the box that stands for it.
 * @csspart image - The chart.
 * @csspart enlarge - The button over the chart.
 * @csspart lead - The first lines of the analysis, in place of a chart.
 * @csspart summary - The text of the finding.
 * @csspart footer - The row below the chart, and the analysis.
 * @csspart source - The provider, and the links to its source and to the delivery, if the BFF exposes them.
 * @csspart actions - The buttons of `actions`, or the button that opens them as a menu.
 * @csspart toggle - The button that unfolds the analysis, or a finding that is cut.
 * @csspart analysis - The long analysis.
 * @csspart history - The earlier findings at the end of the analysis.
 * @csspart empty - What is said of a source without a pulse.
 * @csspart error - What is said of a failure.
 * @csspart retry - The button that requests again.
 * @csspart show - The button of `loading="click"`, which names the host.
 * @csspart skeleton - What is shown meanwhile, where the page gives nothing.
 * @csspart dialog - The enlarged chart.
 * @csspart close - The button that closes it.
 *
 * @cssprop [--pulse-card-background=light-dark(#fff, #16191f)] - The background of the card.
 * @cssprop [--pulse-card-color=light-dark(#15181e, #eceef2)] - The finding and the words of a state.
 * @cssprop [--pulse-card-muted=light-dark(#5a6270, #a0a8b6)] - Name, time, notes and analysis.
 * @cssprop [--pulse-card-border=light-dark(#e1e4e9, #2a2f39)] - Hairlines.
 * @cssprop [--pulse-card-control=light-dark(#7f8795, #6f7888)] - The edges of what can be pressed.
 * @cssprop [--pulse-card-surface=light-dark(#f1f2f5, #1f232b)] - The skeleton, and code.
 * @cssprop [--pulse-card-accent=light-dark(#3d40d4, #a3a9ff)] - What can be pressed, and the focus ring.
 * @cssprop [--pulse-card-warning=light-dark(#7f4700, #f2bb66)] - Badges that speak of age.
 * @cssprop [--pulse-card-warning-surface=light-dark(#fcf1dd, #2e2616)] - The background of these badges.
 * @cssprop [--pulse-card-neutral=light-dark(#495160, #c6ccd7)] - The badge of a draft.
 * @cssprop [--pulse-card-neutral-surface=light-dark(#edeff3, #272c35)] - The background of that badge.
 * @cssprop [--pulse-card-plate=light-dark(#fff, #dfe2e8)] - What lies under the chart. The white of the chart takes this colour; never darker than #c8ccd4.
 * @cssprop [--pulse-card-chart-filter=invert(1) hue-rotate(180deg) saturate(1.15)] - What turns a chart dark with `chart-theme="auto"`.
 * @cssprop [--pulse-card-chart-blend=screen] - How it lies on the card then.
 * @cssprop [--pulse-card-skeleton=light-dark(#f1f2f5, #1f232b)] - The lines of the skeleton.
 * @cssprop [--pulse-card-frame=1px solid] - Width and style of the line around the card, in the color of `--pulse-card-border`. `none` removes it.
 * @cssprop [--pulse-card-extra-height=0em] - Added to the folded height, for a larger heading. `snippetFor()` and `renderPulseCard()` take the same number as `extraHeight`.
 * @cssprop [--pulse-card-toggle-order=0] - `-1` puts the toggle at the start of the footer.
 * @cssprop [--pulse-card-max-width=none] - The widest the card gets.
 * @cssprop [--pulse-card-radius=0.75em] - The corners of the card.
 * @cssprop [--pulse-card-radius-inner=0.5em] - The corners of plate and buttons.
 * @cssprop [--pulse-card-padding] - The room at the sides; 0.75em to 1.5em by the width of the card, unless set.
 * @cssprop [--pulse-card-font-family=inherit] - The font; its size is that of the element.
 *
 * @cssstate idle - Nothing requested yet.
 * @cssstate loading - Requesting, with nothing to show.
 * @cssstate ready - Shows the latest pulse.
 * @cssstate stale - Shows an earlier version.
 * @cssstate empty - The source has no pulse yet.
 * @cssstate error - There is nothing to show.
 * @cssstate overdue - The source has gone silent: its next run is overdue. It is in addition to the other states.
 *
 * @fires {CustomEvent<PulseStateDetail>} pulse-state - The card is in another state: `{ state, previous }`. The detail of each event has `sourceId`, too.
 * @fires {CustomEvent<PulseLoadDetail>} pulse-load - The first pulse of a source is there: `{ pulse, stale }`.
 * @fires {CustomEvent<PulseUpdateDetail>} pulse-update - Another run took its place: `{ pulse, previous }`.
 * @fires {CustomEvent<PulseViewDetail>} pulse-view - The reader has seen the pulse: half of the card, or half of the viewport filled by it, was visible for one second. Once for each run: `{ pulse }`.
 * @fires {CustomEvent<PulseEmptyDetail>} pulse-empty - The source has no pulse yet: `{ sourceId }`.
 * @fires {CustomEvent<PulseErrorDetail>} pulse-error - A request failed: `{ code, status, retriable, message }`.
 * @fires {CustomEvent<PulseToggleDetail>} pulse-toggle - The reader folded or unfolded the analysis: `{ open }`.
 * @fires {CustomEvent<PulseActionDetail>} pulse-action - The reader has used a button or link of the footer: `{ action }`, which is `copy`, `save`, `share`, or `open-source`.
 * @fires {CustomEvent<PulseEnlargeDetail>} pulse-enlarge - The reader asks for the enlarged chart: `{ pulse }`. Cancelled, the card leaves that to the page.
 */
export class PulseCard extends PulseElement<Pulse> {
  static override properties: PropertyDeclarations = {
    sourceId: { attribute: 'source-id', useDefault: true },
    open: { type: Boolean, reflect: true },
    label: { useDefault: true },
    pulse: { attribute: false },
    listing: { attribute: false },
    fill: { type: Boolean },
  };

  static override styles: CSSResult[] = cardStyles;

  /** Adds a language for all elements of the page, or replaces messages of one. */
  static readonly registerTranslation: typeof registerTranslation = registerTranslation;

  /** Forgets the tokens of all elements of the page, and what was shown with them; for the handler of a logout. */
  static readonly forgetTokens: typeof forgetTokens = forgetTokens;

  static readonly #task: ElementTask<PulseCard, Pulse> = {
    key: ({ pulse, sourceId, baseUrl }) =>
      (pulse || sourceId) && `${resolveBaseUrl(baseUrl)} ${pulse ? pulse.sourceId : sourceId}`,
    // A board sorts its cards by their pulses.
    isWanted: ({ listing }) => !!listing,
    given: (card) => card.#givenResult(),
    load: (card, options) => card.#load(options),
    template: (card, view) => card.#template(view),
    onChange: (card, ...change) => card.#onChange(...change),
    onTakeOver: (card) => (card.open = card.shadowRoot?.querySelector('details')?.open ?? card.open),
    onStore: (card) => (card.pulse = null),
    message: (failure, messages, card) => messages[card.#keptPicture(failure) ? 'noText' : failureKind(failure)],
  };

  /** The source whose pulse is shown. */
  declare sourceId: string;
  /** The long analysis is unfolded. */
  declare open: boolean;
  /** The name to show and read where the answer has none, and while there is none. */
  declare label: string;
  /** A pulse that the page provides: no request is made. Its `imageUrl` may be `data:image/png;base64,…`. */
  declare pulse: Pulse | null;
  /** The source, as the board's list has it. @internal */
  declare listing: ListedSource | null;
  /** The card is as high as its container. */
  declare fill: boolean;
  /** Called when the source goes silent, or has a new run after that. @internal */
  declare onOverdueChange: (() => void) | undefined;

  readonly #chart = new ChartController(this, {
    url: () => this.#chartUrl(),
    hasFallback: () => !!this.#fallback.loadedUrl(this.sourceId),
  });
  readonly #fallback = new FallbackPicture(this);
  readonly #history = new HistoryController(this, {
    key: () => this.shownData && `${this.shownData.sourceId} ${this.shownData.jobRunId}`,
    isWanted: () => this.history && this.open && !this.pulse,
    load: (signal) => this.#withExtras((extras, card) => extras.loadHistory(card, signal)),
  });
  /** What only a press starts, from the first press on. */
  #extras: Extras | undefined;
  /** What is shown. */
  #view: (CardView & ActionView) | undefined;
  #isAnalysisBuilt = false;
  #isFindingCut = false;
  #isChartDark = false;
  #given: { readonly pulse: Pulse; readonly result: Result } | undefined;
  /** Whether the last update unfolded the analysis; an event that reports no more than that is not the reader's. */
  #isUnfolded = false;

  constructor() {
    super(PulseCard.#task);
    this.sourceId = '';
    this.open = false;
    this.label = '';
    this.pulse = null;
    this.listing = null;
    this.fill = false;
    // oxlint-disable-next-line no-new -- it works by its callbacks alone
    new PageController(this, { onReturn: this.#chart.retry, onColorScheme: () => this.#onColorScheme() });
    // oxlint-disable-next-line no-new -- it works by its callbacks alone
    new SizeController(this, () => this.#onResize());
    // oxlint-disable-next-line no-new -- it works by its callbacks alone
    new ViewController(this, {
      key: () => this.currentPulse?.jobRunId,
      onView: () => this.#onView(),
    });
  }

  /** The pulse that is shown, or null. */
  get currentPulse(): Pulse | null {
    return this.shownData ?? null;
  }

  /** Focuses what unfolds the analysis, or requests again. */
  override focus(options?: FocusOptions): void {
    const target = this.shadowRoot?.querySelector<HTMLElement>('[part=toggle], [part=retry], [part=show]');
    if (target) target.focus(options);
    else super.focus(options);
  }

  /** Puts the finding with label, name, date and the address of the page on the clipboard. Rejects if it can't. */
  copyText(): Promise<void> {
    return this.#withExtras((extras, card) => extras.copyText(card));
  }

  /**
   * The whole card as a PNG, 1,200 px wide: name, label, finding, chart, date and source. Rejects if it can't, as when the
   * BFF has a later run than the one that is shown.
   */
  toBlob(): Promise<Blob> {
    return this.#withExtras((extras, card) => extras.cardPicture(card));
  }

  override refresh(): Promise<PulseStatus> {
    this.#chart.retry();
    return super.refresh();
  }

  override connectedCallback(): void {
    adoptTranslation(this);
    super.connectedCallback();
    // No event leaves the card when pointer or focus move inside it. An element that is deferred has no root yet.
    for (const type of ['pointerover', 'focusin', 'touchstart'])
      (this.renderRoot as ShadowRoot | undefined)?.addEventListener(type, this.#onApproach, { passive: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // A dialog that has left the page stays open, but is no longer modal.
    this.#extras = undefined;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    if (this.aiReviewedBy && !this.aiReviewedRun) warnOnce('ai-reviewed-by counts only with ai-reviewed-run="run_…"');
    this.#isUnfolded = this.open || page.isPrinting;
    this.#isChartDark = this.chartTheme === 'auto' && isDark(this);
    this.#isAnalysisBuilt ||= this.#isUnfolded;
    if (!this.shownData) this.#extras = undefined;
  }

  protected override updated(): void {
    this.#measureFinding();
  }

  #onResize(): void {
    if (this.variant === 'compact') this.requestUpdate();
    this.#measureFinding();
  }

  /** A finding that is cut can be unfolded. With an analysis, a card can be unfolded anyway, and isn't measured. */
  #measureFinding(): void {
    const isMeasured = !this.#isUnfolded && !!this.shownData && !this.shownData.aiSummaryLong;
    const finding = isMeasured && this.shadowRoot?.querySelector('[part=summary]');
    if (!finding || isCut(finding) === this.#isFindingCut) return;
    this.#isFindingCut = !this.#isFindingCut;
    this.requestUpdate();
  }

  /** The result for the pulse that the page sets, parsed once. */
  #givenResult(): Result | undefined {
    const { pulse } = this;
    if (pulse !== this.#given?.pulse) this.#given = pulse ? { pulse, result: givenResult(pulse) } : undefined;
    return this.#given?.result;
  }

  #load({ takesEmbedded, ...options }: ElementLoadOptions): Promise<Result> {
    if (!isId(this.sourceId))
      return Promise.resolve({
        ...failureOf('invalid_source_id'),
        advice: `${JSON.stringify(this.sourceId)} is no source-id`,
      });
    const embedded = takesEmbedded ? embeddedData(this, this.sourceId) : undefined;
    if (!embedded) return loadPulse(this.sourceId, options);
    if (isOutdated(embedded)) setTimeout(() => void this.refresh());
    return Promise.resolve(embedded);
  }

  #chartUrl(): string | null | undefined {
    const pulse = this.shownData;
    if (!pulse || !this.isNear || this.variant === 'text' || isNarrowCompact(this)) return undefined;
    return pulse.imageUrl && this.#fallback.chartUrl(pulse);
  }

  /** The address of the page's picture, if it stays after `failure`. A private card keeps nothing. */
  #keptPicture(failure: Failure): string | undefined {
    const hasChart = this.variant !== 'text' && this.variant !== 'compact';
    return !this.isPrivate && hasChart && isOutage(failure) ? this.#fallback.loadedUrl(this.sourceId) : undefined;
  }

  #template(view: ElementView<Pulse>): TemplateResult {
    const { language, state } = view;
    const permalink = (run: string): string | undefined =>
      this.isPrivate
        ? undefined
        : `${resolveBaseUrl(this.baseUrl)}/embed/${this.sourceId}?run=${encodeURIComponent(run)}`;
    this.#view = {
      ...view,
      headingLevel: this.headingLevel,
      label: this.label,
      shared: SHARED,
      listing: this.listing,
      relativeTime: (iso) => relativeTime(iso, language, Date.now()),
      absoluteTime: (iso, format) => absoluteTime(iso, language, format),
      chart: this.#chart,
      keptPicture: !state.data && state.failure ? this.#keptPicture(state.failure) : undefined,
      isOpen: this.#isUnfolded,
      isAnalysisBuilt: this.#isAnalysisBuilt,
      isFindingCut: this.#isFindingCut || (this.#isUnfolded && !!state.data && isLongFinding(state.data)),
      enlargedTemplate: this.#extras?.enlargedTemplate,
      historyTemplate: () =>
        this.#history.template?.({
          view: this.#view as CardView,
          note: noteTemplate({ ...view, aiReviewedBy: '' }),
          permalink,
        }),
      aiReviewedBy: reviewerOf(this, state.data?.jobRunId),
      summaryLang: this.summaryLang,
      fill: this.fill,
      isChartDark: this.#isChartDark,
      onToggle: (event) => this.#onToggle(event),
      onEnlarge: () => void this.#onEnlarge(),
      actions: actionsIn(this.actions),
      onAction: ({ target }) => this.#start('pressAction', target),
      onOpenSource: () => dispatch(this, 'pulse-action', { sourceId: this.sourceId, action: 'open-source' }),
    };
    return cardTemplate(this.#view);
  }

  #onChange(before: ResourceState, after: ResourceState, language: string): void {
    const { sourceId } = this;
    const { data: pulse, status } = after;
    const previous = before.data;
    if (status === 'empty' && before.status !== 'empty') dispatch(this, 'pulse-empty', { sourceId });
    if (pulse && !previous) dispatch(this, 'pulse-load', { sourceId, pulse, stale: status === 'stale' });
    if (isOverdue(before) !== isOverdue(after)) this.onOverdueChange?.();
    if (!pulse || !previous || pulse.jobRunId === previous.jobRunId) return;
    if (!matchesMedia('(prefers-reduced-motion)'))
      (this.renderRoot.firstElementChild as Partial<Element> | null)?.animate?.({ opacity: [0, 1] }, FADE_MS);
    announce(this.#updateAnnouncement(pulse, language), this);
    dispatch(this, 'pulse-update', { sourceId, pulse, previous });
  }

  /** Name, label and finding, each in its language. */
  #updateAnnouncement({ sourceId, jobRunId, sourceName, aiSummaryShort }: Pulse, language: string): Announcement {
    const { messages } = this;
    const name = sourceName && { text: `${sourceName},`, lang: language };
    const note = aiSummaryShort && { text: `${aiNote(messages, reviewerOf(this, jobRunId))}:`, lang: messages.lang };
    const finding = aiSummaryShort && { text: plainText(aiSummaryShort), lang: this.summaryLang || language };
    return {
      key: sourceId,
      texts: [name, note, finding].filter((text) => !!text),
      ofSeveral: { text: messages.chartsUpdated, lang: messages.lang },
    };
  }

  async #onEnlarge(): Promise<void> {
    const { sourceId, currentPulse: pulse } = this;
    if (!pulse || !dispatch(this, 'pulse-enlarge', { sourceId, pulse })) return;
    const extras = await loadExtras();
    // Another reader may be signed in by now.
    if (this.currentPulse !== pulse) return;
    if (!extras) return void open(pulse.imageUrl as string, '_blank', 'noopener');
    this.#extras = extras;
    this.requestUpdate();
    await this.updateComplete;
    extras.openEnlarged(this.renderRoot as ShadowRoot);
  }

  /** A reader who may press soon needs the code for it. */
  readonly #onApproach = ({ target }: Event): void => {
    if ((target as Element).closest('[part=enlarge], [part=actions]')) this.#start('prepareAction', target);
  };

  #onView(): void {
    const { sourceId, currentPulse: pulse } = this;
    if (pulse) dispatch(this, 'pulse-view', { sourceId, pulse });
  }

  #onColorScheme(): void {
    if (this.chartTheme === 'auto' && isDark(this) !== this.#isChartDark) this.requestUpdate();
  }

  #start(step: 'prepareAction' | 'pressAction', target: EventTarget | null): void {
    void this.#withExtras((extras, card) => extras[step](target as Element, card)).catch(() => undefined);
  }

  /** Calls `use` with what only a press starts, and with what that needs of this card. */
  async #withExtras<Value>(use: (extras: Extras, card: ActionCard) => Promise<Value>): Promise<Value> {
    const extras = await loadExtras();
    // An element is not rendered before it is on a page.
    if (this.isConnected) await this.updateComplete;
    if (!extras) throw new Error('Cannot load the code of the actions');
    return use(extras, { host: this, view: this.#view, announce });
  }

  #onToggle({ target }: Event): void {
    const { open } = target as HTMLDetailsElement;
    if (open === this.#isUnfolded) return;
    this.open = open;
    dispatch(this, 'pulse-toggle', { sourceId: this.sourceId, open });
  }
}

/** The known words of `actions`, without those that the browser can't do. */
function actionsIn(actions: string | null | undefined): ButtonAction[] {
  const words = actions?.split(/\s+/);
  const { clipboard } = navigator as Partial<Navigator>;
  const canShare = () => navigator.canShare?.({ files: [new File([], 'chart.png', { type: 'image/png' })] });
  return (['copy', 'save', 'share'] as const).filter(
    (action) => words?.includes(action) && (action !== 'copy' || clipboard) && (action !== 'share' || canShare()),
  );
}

/** Whether the end of the finding is out of sight: after its last line, or where the space above the footer ends. */
function isCut(finding: Element): boolean {
  const face = finding.closest('.face') as Element;
  const isClipped = finding.getBoundingClientRect().bottom > face.getBoundingClientRect().bottom + 1;
  return isClipped || finding.scrollHeight > finding.clientHeight + 1;
}

/** Below this width, in `em`, a compact card has no chart. The style sheet has the same number. */
const COMPACT_CHART_EM = 20;

function isNarrowCompact(card: PulseCard): boolean {
  return (
    card.variant === 'compact' && card.clientWidth < COMPACT_CHART_EM * parseFloat(getComputedStyle(card).fontSize)
  );
}

/** Says whether a card is dark: by its theme, else by the schemes that its page declares and the reader prefers. */
function isDark(card: PulseCard): boolean {
  if (card.theme === 'light' || card.theme === 'dark') return card.theme === 'dark';
  const { colorScheme } = getComputedStyle(card);
  // Where no style says it, the page's <meta> may.
  const meta = document.querySelector<HTMLMetaElement>('meta[name=color-scheme]');
  const schemes = colorScheme === 'normal' && meta ? meta.content : colorScheme;
  if (!schemes.includes('dark')) return false;
  return !schemes.includes('light') || matchesMedia(DARK);
}

/** The result for a pulse that the page sets: the pulse, or a failure that no request ends. */
function givenResult(pulse: Pulse): Result {
  const result = parseOrFail(() => parseEntry({ pulse }, givenUrl));
  return result.ok ? result : { ...result, status: 0, retriable: false, advice: 'the pulse property holds no pulse' };
}

declare global {
  interface HTMLElementTagNameMap {
    'pulse-card': PulseCard;
  }
}
