import { type LitElement, noChange, type PropertyValues } from 'lit';
import { silence } from '../a11y/announce.ts';
import { FocusController } from '../controllers/focus.ts';
import { ForeignChanges } from '../controllers/foreign-changes.ts';
import { LocalizeController } from '../controllers/localize.ts';
import { page, PageController, type PageHost } from '../controllers/page.ts';
import { ProvidedContent } from '../controllers/provided-content.ts';
import { Reporter, type ReportHost } from '../controllers/reporter.ts';
import { type LoadOptions, ResourceController, type ResourceHost } from '../controllers/resource.ts';
import { isErrorVisible, isOverdue, type PulseStatus, type ResourceState } from '../controllers/resource-state.ts';
import { ViewportController } from '../controllers/viewport.ts';
import type { Pulse } from '../data/pulse.ts';
import type { Failure, Result } from '../data/result.ts';
import type { CardMessages } from '../i18n/messages.ts';
import { VERSION } from '../version.ts';
import type { ElementLoadOptions, ElementView, EventDetail } from './element-view.ts';
import type { PulseErrorDetail, PulseEvents } from './events.ts';
import { renderTurn } from './render-queue.ts';
import { SharedProperties } from './shared-properties.ts';
import { themeOf, variantOf } from './variants.ts';

/** The last failure of an element. */
export interface PulseFailure extends Omit<PulseErrorDetail, 'sourceId'> {
  /** The error that `tokenProvider` or the browser threw, if any. */
  readonly cause?: unknown;
}

/** An element that shows one resource from the BFF. */
export abstract class PulseElement<T> extends SharedProperties implements PageHost, ReportHost<T>, ResourceHost<T> {
  /** The version of this copy of the script. */
  static readonly version: string = VERSION;

  /** The URL of the script's folder, which a second script on the page uses, too. Empty in a bundle. @internal */
  static _$scriptBase = '';

  readonly #internals = (this as Partial<LitElement>).attachInternals?.();
  readonly #localize = new LocalizeController(this);
  readonly #reporter: Reporter<T> = new Reporter<T>(this, this.#localize);
  readonly #viewport = new ViewportController(this);
  readonly #resource: ResourceController<T> = new ResourceController<T>(this);
  readonly #page = new PageController(this);
  readonly #provided = new ProvidedContent(this);
  readonly #foreign = new ForeignChanges(this);

  constructor() {
    super();
    // oxlint-disable-next-line no-new -- it registers itself with the element
    new FocusController(this);
    this._setState(this.state, true);
  }

  static override get observedAttributes(): string[] {
    return [...super.observedAttributes, 'lang', DEFER];
  }

  /** The element's state. CSS can match it with `:state(…)`. */
  get state(): PulseStatus {
    return this._state.status;
  }

  /** The last failure, or `null`. */
  get failure(): PulseFailure | null {
    if (!isErrorVisible(this._state) || this.state === 'empty') return null;
    const { cause } = this._state.failure;
    return { ...this.#reporter.detailOf(this._state.failure), ...(cause !== undefined && { cause }) };
  }

  /**
   * Sends a new request. Resolves with the state when the response is shown. Never rejects. Also loads an element with
   * `loading="click"` that is waiting for a click.
   */
  async refresh(): Promise<PulseStatus> {
    if (this.loading === 'click') this.#viewport.enter();
    const before = this._state;
    await this.#resource.refresh();
    await this.updateComplete.catch(() => undefined);
    const { status, failure } = this._state;
    // A failure that keeps the visible data doesn't change the state, so it is reported here.
    if (before.data && before.status === status && failure) this.#reporter.reportFailure(failure);
    return this.state;
  }

  /** @internal */
  abstract get _key(): unknown;

  /** Requests the resource. Never rejects. @internal */
  protected abstract _load(options: ElementLoadOptions): Promise<Result<T>>;

  /** Renders the template. `view` contains the data that all elements share. @internal */
  protected abstract _render(view: ElementView<T>): unknown;

  /** Returns the message about `failure` for the reader. @internal */
  abstract _messageOf(failure: Failure, messages: CardMessages): string;

  /** Reports a state change to the page. @internal */
  abstract _onChange(before: ResourceState<T>, after: ResourceState<T>): void;

  /** What the text depends on in addition to the state and the language. @internal */
  protected abstract _textFacts(): unknown;

  /** Called before the element replaces its server-rendered content. @internal */
  protected _onTakeOver?(): void;

  /** Dispatches an event for this source. Returns false if the event was canceled. @internal */
  _dispatch<Name extends keyof PulseEvents>(name: Name, facts: EventDetail<Name>): boolean {
    const detail = { sourceId: this._source, ...facts };
    const cancelable = name === 'pulse-enlarge';
    const event = new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable });
    return this.dispatchEvent(event);
  }

  /** Sets whether `:state(name)` matches. @internal */
  protected _setState(name: string, isSet: boolean): void {
    this.#internals?.states?.[isSet ? 'add' : 'delete'](name);
  }

  /** @internal */
  protected get _state(): ResourceState<T> {
    return this.#resource.state;
  }

  /** A BCP 47 tag, for dates and numbers. @internal */
  protected get _language(): string {
    return this.#localize.language;
  }

  /** @internal */
  protected get _isNear(): boolean {
    return this.#viewport.isNear;
  }

  /** @internal */
  get _isWanted(): boolean {
    return this._isNear;
  }

  /** @internal */
  get _isPaused(): boolean {
    return this.#page.isStored || this.#isDeferred;
  }

  /** @internal */
  override get _hasData(): boolean {
    return !!this._state.data;
  }

  /** Whether the content might be meant for a single reader. @internal */
  get _isPrivate(): boolean {
    return this._session.isPrivate || this.#provided.isPrivate;
  }

  /** The data that all templates need. @internal */
  protected get _view(): ElementView<T> {
    const { language, messages } = this.#localize;
    return {
      state: this._state,
      // Some frameworks unset a property by assigning undefined.
      variant: variantOf(this.variant),
      theme: themeOf(this.theme),
      messages,
      language,
      askedHost: this.#viewport.askedHost,
      hasFallback: this.#provided.hasFallback,
      onRetry: () => void this.refresh(),
      onFallbackChange: () => this.requestUpdate(),
      request: (path, options) => this._session.join().request(path, options),
    };
  }

  /** @internal */
  _onTick(): void {
    if (this.#viewport.isVisible) this.#resource.revalidateIfDue(this.live);
  }

  /** @internal */
  _onReturn(isLong: boolean): void {
    this.#resource.revalidateOnReturn(isLong);
  }

  /** @internal */
  _onClock(): void {
    this.#resource.setTimer();
  }

  /** @internal */
  _onPageChange(): void {
    if (this.#localize.isOutdated) this.requestUpdate();
  }

  /** Removes the previous reader's content and drops the request that is in progress. @internal */
  override _onReaderChange(failure?: Failure): void {
    if (this.hasUpdated) {
      this.#viewport.leave();
      this.#provided.forgetReader();
    }
    this.#resource.reset(failure);
    if (this.hasUpdated && this.isUpdatePending) this.performUpdate();
  }

  /** @internal */
  override _onTokenChange(): void {
    void this.#resource.revalidate();
  }

  /** @internal */
  _request(options: LoadOptions): Promise<Result<T>> {
    const revalidate = options.revalidate || this.#page.isRestored;
    const takesEmbedded = this.#provided.useData() && !revalidate;
    this.#page.isRestored = false;
    return this._load({ ...options, revalidate, takesEmbedded, getSession: () => this._session.join() });
  }

  /** @internal */
  _onResourceChange(before: ResourceState<T>, after: ResourceState<T>): void {
    this._setState(before.status, false);
    this._setState(after.status, true);
    this._setState('overdue', isOverdue(after));
    this.requestUpdate();
    this.#reporter.reportWhenRendered(before, after);
  }

  /** Resolves immediately for an element that hasn't been on a page or is deferred, because it might never update. */
  protected override getUpdateComplete(): Promise<boolean> {
    const canUpdate = (this.isConnected || this.hasUpdated) && !this.#isDeferred;
    return canUpdate ? super.getUpdateComplete() : Promise.resolve(true);
  }

  override connectedCallback(): void {
    this.#provided.adoptTemplate();
    // The browser must not store server-rendered content, even if the page never removes the attribute.
    if (this.#isDeferred) this.#page.hostConnected();
    else super.connectedCallback();
  }

  override attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (name === DEFER && after === null && this.isConnected) this.connectedCallback();
    if (name === 'lang') this.requestUpdate();
    // If the token attribute is removed or set to an empty string, the token stays.
    else if (name !== 'token' || after) super.attributeChangedCallback(name, before, after);
  }

  protected override async scheduleUpdate(): Promise<void> {
    // Requests don't wait for their turn to render, so that elements added together share one request.
    // Properties that were set before the element was defined aren't available until the first update.
    this.#viewport.check();
    if (this.hasUpdated) this.#resource.start();
    // The first rendering doesn't wait, because it must replace the page's content before the next frame.
    if (this.hasUpdated && !page.isPrinting) await renderTurn();
    await super.scheduleUpdate();
  }

  protected override willUpdate(_changed: PropertyValues): void {
    if (this.#provided.isServerShown && !this._keepsServerContent) this._onTakeOver?.();
  }

  protected override update(changed: PropertyValues): void {
    if (this._keepsServerContent) return super.update(changed);
    this.#provided.replaceServer();
    const { status, failure } = this._state;
    const facts = JSON.stringify([status, failure?.code, this._textFacts(), this.#localize.messages.lang]);
    this.#foreign.render(facts, () => super.update(changed));
  }

  protected override render(): unknown {
    return this._keepsServerContent ? noChange : this._render(this._view);
  }

  get #isDeferred(): boolean {
    return this.hasAttribute(DEFER);
  }

  /** Whether the element keeps its server-rendered content because it has nothing else to show. @internal */
  get _keepsServerContent(): boolean {
    const { data, failure } = this._state;
    return this.#provided.isServerShown && !data && failure?.retriable !== false;
  }

  /** @internal */
  _empty(): void {
    this.#provided.empty();
    this._session.startOver();
    silence();
  }

  /** The source's ID. Null for a board's list. @internal */
  get _source(): string | null {
    const { pulse, sourceId = null } = this as { pulse?: Pulse | null; sourceId?: string };
    return pulse?.sourceId ?? sourceId;
  }
}

/** The attribute that keeps an element from requesting anything until the page has set its properties. */
const DEFER = 'defer-hydration';
