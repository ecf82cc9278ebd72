import { type CSSResult, type PropertyDeclarations, type PropertyValues, type TemplateResult, unsafeCSS } from 'lit';
import { languageTag } from '@pulse-card/contract/language-tag';
import { announce } from '../../a11y/announce.ts';
import { AfterPaintController } from '../../controllers/after-paint.ts';
import { ChartController } from '../../controllers/chart.ts';
import { ExtrasController } from '../../controllers/extras.ts';
import { FallbackPicture } from '../../controllers/fallback-picture.ts';
import { page } from '../../controllers/page.ts';
import { isOverdue, type PulseStatus, type ResourceState } from '../../controllers/resource-state.ts';
import { loadPulse } from '../../data/batch-loader.ts';
import { embeddedData, isOutdated } from '../../data/embedded-data.ts';
import { parseEntry, parseOrFail } from '../../data/parse-pulse.ts';
import type { Pulse } from '../../data/pulse.ts';
import { forgetTokens } from '../../data/reader-session.ts';
import { type Failure, failureOf, isOutage, type Result } from '../../data/result.ts';
import { givenUrl, isId } from '../../data/sanitize.ts';
import { warnOnce } from '../../diagnostics/warn-once.ts';
import { reviewerOf } from '../../i18n/ai-note.ts';
import { failureKind } from '../../i18n/failure-kind.ts';
import { absoluteTime, relativeTime } from '../../i18n/format-date.ts';
import type { CardMessages } from '../../i18n/messages.ts';
import { registerTranslation } from '../../i18n/translations.ts';
import type { ElementLoadOptions, ElementView } from '../element-view.ts';
import { PulseElement } from '../pulse-element.ts';
import { isDark } from './is-dark.ts';
import type { Listing } from './listing.ts';
import { type RequestView, type ShownCard, shownParts } from './shown-card.ts';
import { cardStyles } from './styles.ts';
import { cardTemplate, isLongFinding } from './template.ts';

/**
 * Shows the latest pulse of one source: a finding, the chart behind it, and its analysis.
 *
 * @tagname pulse-card
 *
 * @attr {string} lang - The language of text, dates, and numbers. The default is the page's language.
 * @attr {string} token - A static token, for pages without a `tokenProvider`. The card reads the attribute and then
 *   removes it.
 * @attr {boolean} defer-hydration - Keeps the card from requesting anything until the attribute is removed.
 * @attr {boolean} data-public - Marks server-rendered content that every reader is allowed to see.
 *
 * @slot - Content that the page shows until the card is ready, and whenever scripts don't run.
 * @slot name - Replaces the name.
 * @slot source - Replaces the provider and its links.
 * @slot actions - Content at the end of the footer, before the toggle.
 * @slot footer - Content at the start of the footer.
 * @slot empty - Replaces the message for a source without a pulse.
 * @slot error - Replaces the error message.
 * @slot signed-out - Replaces the message for a reader whose session has ended.
 *
 * @csspart base - The whole card.
 * @csspart header - The line above the finding, with the name, the AI label, the badge, and the time.
 * @csspart name - The source's name.
 * @csspart note - The "AI-generated" label.
 * @csspart heading - The finding.
 * @csspart status - The badge that marks an earlier version, a draft (on boards), or updates that are paused, delayed,
 *   or overdue.
 * @csspart time - The run's completion time.
 * @csspart chart - The chart background, or the box that replaces a missing chart.
 * @csspart image - The chart's image.
 * @csspart enlarge - The button on the chart that opens the enlarged view.
 * @csspart lead - The first lines of the analysis, shown if there is no chart.
 * @csspart summary - The finding's text.
 * @csspart footer - The row below the chart, together with the analysis.
 * @csspart source - The provider, with the links to the source and to the delivery if the BFF exposes them.
 * @csspart actions - The buttons for `actions`, or the button that opens them as a menu.
 * @csspart toggle - The button that expands the analysis or a truncated finding.
 * @csspart analysis - The long analysis.
 * @csspart history - The earlier findings at the end of the analysis.
 * @csspart empty - The message for a source without a pulse.
 * @csspart error - The error message.
 * @csspart retry - The button that sends the request again after a failure.
 * @csspart show - The button that loads the card if `loading="click"`. It shows the host.
 * @csspart skeleton - The placeholder while the card loads, unless the page provides content.
 * @csspart dialog - The enlarged view of the chart.
 * @csspart close - The button that closes the enlarged view.
 *
 * @cssprop [--pulse-card-background=light-dark(#fff, #16191f)] - The card's background.
 * @cssprop [--pulse-card-color=light-dark(#15181e, #eceef2)] - The color of the finding and messages.
 * @cssprop [--pulse-card-muted=light-dark(#5a6270, #a0a8b6)] - The color of the name, the time, the notes, and the
 *   analysis.
 * @cssprop [--pulse-card-border=light-dark(#e1e4e9, #2a2f39)] - The color of the card's border and other lines.
 * @cssprop [--pulse-card-control=light-dark(#7f8795, #6f7888)] - The border color of buttons and other controls.
 * @cssprop [--pulse-card-surface=light-dark(#f1f2f5, #1f232b)] - The background of code, filters, and hovered buttons.
 *   Also the default color of placeholders.
 * @cssprop [--pulse-card-accent=light-dark(#3d40d4, #a3a9ff)] - The color of links, buttons, and the focus ring.
 * @cssprop [--pulse-card-warning=light-dark(#7f4700, #f2bb66)] - The text color of the badges that mark stale content.
 * @cssprop [--pulse-card-warning-surface=light-dark(#fcf1dd, #2e2616)] - The background of the badges that mark stale
 * content.
 * @cssprop [--pulse-card-neutral=light-dark(#495160, #c6ccd7)] - The text color of the draft badge.
 * @cssprop [--pulse-card-neutral-surface=light-dark(#edeff3, #272c35)] - The background of the draft badge.
 * @cssprop [--pulse-card-plate=light-dark(#fff, #dfe2e8)] - The chart background. White areas of the chart are shown in
 *   this color. It shouldn't be darker than #c8ccd4.
 * @cssprop [--pulse-card-chart-filter=invert(1) hue-rotate(180deg) saturate(1.15)] - The filter that makes a chart dark
 *   with `chart-theme="auto"`.
 * @cssprop [--pulse-card-chart-blend=screen] - The blend mode for darkened charts.
 * @cssprop [--pulse-card-skeleton=light-dark(#f1f2f5, #1f232b)] - The color of the placeholder's lines.
 * @cssprop [--pulse-card-frame=1px solid] - The width and style of the border. Its color is `--pulse-card-border`.
 *   `none` removes the border.
 * @cssprop [--pulse-card-extra-height=0em] - Height added to the collapsed card, for a larger heading. `snippetFor()`
 * and `renderPulseCard()` accept the same number as `extraHeight`.
 * @cssprop [--pulse-card-toggle-order=0] - The position of the toggle in the footer. `-1` puts the toggle at the start.
 * @cssprop [--pulse-card-max-width=none] - The card's maximum width.
 * @cssprop [--pulse-card-radius=0.75em] - The card's corner radius.
 * @cssprop [--pulse-card-radius-inner=0.5em] - The corner radius of the chart and the buttons.
 * @cssprop [--pulse-card-padding] - The side padding. By default, it grows with the card's width, from 0.75em to 1.5em.
 * @cssprop [--pulse-card-font-family=inherit] - The font family. The font size is inherited from the element.
 *
 * @cssstate idle - The card hasn't requested anything yet.
 * @cssstate loading - The card has sent a request and has nothing to show yet.
 * @cssstate ready - The card shows the latest pulse.
 * @cssstate stale - The card shows stale content.
 * @cssstate empty - The source has no pulse yet.
 * @cssstate error - The request failed, and there is nothing to show.
 * @cssstate open - The analysis is expanded. This state is combined with the others.
 * @cssstate overdue - The source's next run is overdue. This state is combined with the others.
 *
 * @fires {CustomEvent<PulseStateDetail>} pulse-state - The card's state has changed: `{ state, previous }`. The detail
 *   of every event also has `sourceId`.
 * @fires {CustomEvent<PulseLoadDetail>} pulse-load - The first pulse of a source has loaded: `{ pulse, stale }`.
 * @fires {CustomEvent<PulseUpdateDetail>} pulse-update - The card shows a different run: `{ pulse, previous }`.
 * @fires {CustomEvent<PulseViewDetail>} pulse-view - The reader has seen the pulse: `{ pulse }`. Half of the card, or a
 *   part that fills half of the viewport, was visible for one second. Fires once for each run.
 * @fires {CustomEvent<PulseEmptyDetail>} pulse-empty - The source has no pulse yet: `{ sourceId }`.
 * @fires {CustomEvent<PulseErrorDetail>} pulse-error - A request failed: `{ code, status, retriable, message }`.
 * @fires {CustomEvent<PulseToggleDetail>} pulse-toggle - The reader expanded or collapsed the analysis: `{ open }`.
 * @fires {CustomEvent<PulseActionDetail>} pulse-action - The reader used a button or link in the footer: `{ action }`.
 *   The action is `copy`, `save`, `share`, or `open-source`.
 * @fires {CustomEvent<PulseEnlargeDetail>} pulse-enlarge - The reader opened the enlarged view: `{ pulse }`. Cancel the
 *   event to show the chart yourself.
 */
export class PulseCard extends PulseElement<Pulse> {
  static override properties: PropertyDeclarations = {
    sourceId: { attribute: 'source-id', useDefault: true },
    open: { type: Boolean },
    label: { useDefault: true },
    pulse: { attribute: false },
    _$listing: { attribute: false },
    fill: { type: Boolean },
  };

  static override styles: CSSResult = unsafeCSS(cardStyles);

  /**
   * Adds a language for all elements on the page, or replaces the messages for a language that the elements already
   * have.
   */
  static readonly registerTranslation: typeof registerTranslation = registerTranslation;

  /**
   * Removes the tokens of all elements on the page and the content that was loaded with them. Call this function in
   * your sign-out handler.
   */
  static readonly forgetTokens: typeof forgetTokens = forgetTokens;

  /** The ID of the source whose pulse is shown. */
  declare sourceId: string;
  /**
   * Whether the analysis is expanded. The attribute sets the initial value; `:state(open)` matches an expanded card.
   */
  declare open: boolean;
  /** The name to show until the card has loaded, or if the response doesn't include one. */
  declare label: string;
  /**
   * A pulse that the page provides. If it is set, the card doesn't send a request. The pulse's `imageUrl` can be
   * `data:image/png;base64,…`.
   */
  declare pulse: Pulse | null;
  /** Whether the card fills the height of its container. */
  declare fill: boolean;
  /** The card's entry in a board's list. The board might come from a different copy of the script. @internal */
  declare _$listing: Listing | null;

  readonly #fallback = new FallbackPicture(this);
  readonly #chart = new ChartController(this);
  /** Whether the card has too little space for the whole finding. @internal */
  _isFindingCut = false;
  readonly #afterPaint = new AfterPaintController(this);
  readonly #extras = new ExtrasController(this);
  #isAnalysisBuilt = false;
  #isChartDark = false;
  /** Whether the last update expanded the analysis. A toggle event with the same value wasn't caused by the reader. */
  #isUnfolded = false;
  /** The relative time that is shown. */
  #shownTime: string | undefined;

  constructor() {
    super();
    this.sourceId = '';
    this.open = false;
    this.label = '';
    this.pulse = null;
    this._$listing = null;
    this.fill = false;
  }

  /** The pulse that is shown, or `null`. */
  get currentPulse(): Pulse | null {
    return this._state.data ?? null;
  }

  /** Focuses the button that expands the analysis, or the button that loads or reloads the card. */
  override focus(options?: FocusOptions): void {
    const target = this.shadowRoot?.querySelector<HTMLElement>('[part=toggle], [part=retry], [part=show]');
    if (target) target.focus(options);
    else super.focus(options);
  }

  /** Copies the finding to the clipboard, with its label, name, date, and the page's URL. Rejects if copying fails. */
  copyText(): Promise<void> {
    return this.#extras.call((extras, card) => extras.copyText(card));
  }

  /**
   * Returns the whole card as a PNG that is 1,200 px wide. The image contains the name, label, finding, chart, date, and
   * source. Rejects if the image can't be created, for example if the BFF has a later run than the card.
   */
  toBlob(): Promise<Blob> {
    return this.#extras.call((extras, card) => extras.cardPicture(card));
  }

  override refresh(): Promise<PulseStatus> {
    this.#chart.retry();
    return super.refresh();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    if (this.aiReviewedBy && !this.aiReviewedRun) warnOnce('ai-reviewed-by requires ai-reviewed-run="run_…"');
    this.#isUnfolded = this.open || page.isPrinting;
    this.#isChartDark = this.chartTheme === 'auto' && isDark(this);
    this.#isAnalysisBuilt ||= this.#isUnfolded;
  }

  protected override updated(): void {
    this._setState('open', this.open);
    this.#shownTime = this.#time();
  }

  /** @internal */
  override get _key(): string | false {
    const { pulse, sourceId } = this;
    return !!(pulse || sourceId) && `${this._bff} ${pulse ? pulse.sourceId : sourceId}`;
  }

  protected override _textFacts(): unknown {
    const { sourceName, aiSummaryShort, aiSummaryLong, jobRunId } = this.currentPulse ?? {};
    const { label, _$listing, shadowRoot } = this;
    const texts = [label, sourceName, aiSummaryShort, aiSummaryLong, jobRunId, reviewerOf(this, jobRunId)];
    // Rendering from scratch would close the enlarged view.
    const isEnlarged = shadowRoot?.querySelector('dialog[open]');
    return [texts, this._state.source, _$listing?.source, !isEnlarged && this.#time()];
  }

  /** A board's cards load even far from the viewport, because the board sorts them by their pulses. @internal */
  override get _isWanted(): boolean {
    return super._isWanted || !!this._$listing;
  }

  /** @internal */
  get _given(): unknown {
    return this.pulse || undefined;
  }

  /** @internal */
  _parseGiven(): Result {
    const result = parseOrFail(() => parseEntry({ pulse: this.pulse }, givenUrl));
    // No request can resolve a failure.
    const failure = { status: 0, retriable: false, advice: 'the pulse property doesn’t contain a pulse' };
    return result.ok ? result : { ...result, ...failure };
  }

  protected override _load({ takesEmbedded, ...options }: ElementLoadOptions): Promise<Result> {
    if (!isId(this.sourceId))
      return Promise.resolve({
        ...failureOf('invalid_source_id'),
        advice: `${JSON.stringify(this.sourceId)} is not a valid source-id`,
      });
    const embedded = takesEmbedded ? embeddedData(this, this.sourceId) : undefined;
    if (!embedded) return loadPulse(this.sourceId, options);
    if (isOutdated(embedded)) setTimeout(() => void this.refresh());
    return Promise.resolve(embedded);
  }

  /** @internal */
  _chooseChartUrl(): string | null | undefined {
    const { currentPulse: pulse } = this;
    if (!pulse || !this._isNear || this.variant === 'text' || isNarrowCompact(this)) return undefined;
    return pulse.imageUrl && this.#fallback.chooseUrl(pulse);
  }

  /**
   * The URL of the page's image, if the card keeps the image after `failure`. A private card doesn't keep an image.
   */
  #keptPicture(failure: Failure): string | undefined {
    const hasChart = this.variant !== 'text' && this.variant !== 'compact';
    return !this._isPrivate && hasChart && isOutage(failure) ? this.#fallback.loadedUrl(this.sourceId) : undefined;
  }

  protected override _onTakeOver(): void {
    this.open = this.shadowRoot?.querySelector('details')?.open ?? this.open;
    // Until the finding is measured, it is treated as on the server.
    this._isFindingCut = isLongFinding(this.currentPulse);
  }

  /** @internal */
  override _onClock(): void {
    super._onClock();
    if (this.#shownTime !== this.#time()) this.requestUpdate();
  }

  /** The pulse's relative time; undefined if there is none. */
  #time(): string | undefined {
    const { completedAt } = this.currentPulse ?? {};
    return completedAt ? relativeTime(completedAt, this._language, Date.now()) : undefined;
  }

  /** @internal */
  override _empty(): void {
    this.pulse = null;
    super._empty();
  }

  /** @internal */
  override _onReturn(isLong: boolean): void {
    super._onReturn(isLong);
    this.#chart.retry();
  }

  /** @internal */
  override _onPageChange(): void {
    super._onPageChange();
    if (this.chartTheme === 'auto' && isDark(this) !== this.#isChartDark) this.requestUpdate();
  }

  /** @internal */
  override _messageOf(failure: Failure, messages: CardMessages): string {
    return messages[this.#keptPicture(failure) ? 'noText' : failureKind(failure)];
  }

  protected override _render(view: ElementView<Pulse>): TemplateResult {
    return cardTemplate(this.#cardView(view));
  }

  #cardView(view: ElementView<Pulse>): RequestView {
    const { language, state } = view;
    const { data, failure } = state;
    return {
      ...view,
      headingLevel: this.headingLevel,
      label: this.label,
      listing: this._$listing?.source ?? null,
      ago: this.#time(),
      absoluteTime: (iso, format) => absoluteTime(iso, language, format),
      chart: this.#chart,
      keptPicture: !data && failure ? this.#keptPicture(failure) : undefined,
      isPrinting: page.isPrinting,
      isOpen: this.#isUnfolded,
      isAnalysisBuilt: this.#isAnalysisBuilt,
      markdownTemplate: this.#afterPaint.code?.markdownTemplate,
      isFindingCut: this._isFindingCut || ((this.#isUnfolded || this.#afterPaint.isMissing) && isLongFinding(data)),
      permalink: this._isPrivate ? undefined : `${this._bff}/embed/${this.sourceId}`,
      extraTemplate: this.#extras.template,
      aiReviewedBy: reviewerOf(this, data?.jobRunId),
      summaryLang: languageTag(this.summaryLang) ?? '',
      fill: this.fill,
      isChartDark: this.#isChartDark,
      onToggle: this.#onToggle,
      onEnlarge: this.#extras.onEnlarge,
      onOpenSource: this.#onOpenSource,
    };
  }

  /** @internal */
  override _onChange(before: ResourceState, after: ResourceState): void {
    const { data: pulse, status } = after;
    const previous = before.data;
    if (status === 'empty' && before.status !== 'empty') this._dispatch('pulse-empty', {});
    if (pulse && !previous) this._dispatch('pulse-load', { pulse, stale: status === 'stale' });
    if (isOverdue(before) !== isOverdue(after)) this._$listing?.onOverdueChange(isOverdue(after));
    if (pulse && previous && pulse.jobRunId !== previous.jobRunId) this._dispatch('pulse-update', { pulse, previous });
  }

  readonly #onToggle = ({ target }: Event): void => {
    const { open, isConnected } = target as HTMLDetailsElement;
    // The event might arrive after the card has removed the element.
    if (open === this.#isUnfolded || !isConnected) return;
    this.open = open;
    // Renders immediately: if the reader toggled again before a later render, that render would undo it.
    this.performUpdate();
    this._dispatch('pulse-toggle', { open });
  };

  readonly #onOpenSource = (): void => void this._dispatch('pulse-action', { action: 'open-source' });

  /** This card, for the code that loads later. @internal */
  get _card(): ShownCard {
    const pulse = this.currentPulse;
    const view = this.#cardView(this._view);
    return { host: this, view, shown: pulse ? { ...view, ...shownParts(view, pulse) } : undefined, announce };
  }
}

/** Below this width, in `em`, a compact card has no chart. The style sheet uses the same number. */
const COMPACT_CHART_EM = 20;

function isNarrowCompact(card: PulseCard): boolean {
  return (
    card.variant === 'compact' && card.clientWidth < COMPACT_CHART_EM * parseFloat(getComputedStyle(card).fontSize)
  );
}

declare global {
  interface HTMLElementTagNameMap {
    'pulse-card': PulseCard;
  }
}
