import { LitElement, type PropertyDeclarations, type PropertyValues } from 'lit';
import { announce } from '../a11y/announcer.ts';
import { resolveBaseUrl } from '../base-url.ts';
import { LocalizeController } from '../controllers/localize.ts';
import { page, PageController } from '../controllers/page.ts';
import { type LoadOptions, ResourceController } from '../controllers/resource.ts';
import type { PulseStatus, ResourceState } from '../controllers/resource-state.ts';
import { ViewportController } from '../controllers/viewport.ts';
import { type Bff, bffAt, forgetTokens } from '../data/bff.ts';
import type { Failure, Result } from '../data/result.ts';
import { constantProvider, type TokenProvider } from '../data/token-cache.ts';
import { explainFailure } from '../diagnostics/explain-failure.ts';
import { warnOnce } from '../diagnostics/warn-once.ts';
import { VERSION } from '../version.ts';
import { dispatch } from './events.ts';
import { renderTurn } from './render-queue.ts';
import type { Variant } from './variants.ts';

/** An element that shows one resource of the BFF. */
export abstract class PulseElement<T> extends LitElement {
  static override properties: PropertyDeclarations = {
    baseUrl: { attribute: 'base-url', useDefault: true },
    variant: { useDefault: true },
    loading: { useDefault: true },
    theme: { useDefault: true },
    headingLevel: { attribute: 'heading-level', type: Number, useDefault: true },
    live: { type: Boolean },
    token: { noAccessor: true },
    tokenProvider: { attribute: false },
  };

  /** The version of this copy of the script. */
  static readonly version = VERSION;

  /** The address of the BFF; where the script came from, unless set. */
  declare baseUrl: string;
  /** How cards are laid out. */
  declare variant: Variant;
  /** Whether to wait until the element is near the viewport. */
  declare loading: 'lazy' | 'eager';
  /** `auto` follows the `color-scheme` that the page declares. */
  declare theme: 'auto' | 'light' | 'dark';
  /** The level of each card's heading, 2 to 6. */
  declare headingLevel: number;
  /** Asks again every half minute or so, while page and element are visible. */
  declare live: boolean;
  /** Returns the token for private pulses, or a promise of one; asked whenever one is needed. */
  declare tokenProvider: TokenProvider | undefined;

  /** @internal */
  protected readonly localize: LocalizeController = new LocalizeController(this);
  /** @internal */
  protected readonly resource: ResourceController<T>;
  readonly #viewport = new ViewportController(this, { isLazy: () => this.loading !== 'eager' });

  readonly #internals = this.attachInternals();
  /** What a server rendered; it stays until there is something to take its place. */
  #serverNodes: ChildNode[] = [...(this.shadowRoot?.childNodes ?? [])];
  #usedBff: Bff | undefined;

  constructor() {
    super();
    this.baseUrl = '';
    this.variant = 'card';
    this.loading = 'lazy';
    this.theme = 'auto';
    this.headingLevel = 3;
    this.live = false;
    this.resource = new ResourceController<T>(this, {
      key: () => this.resourceKey,
      isNear: () => this.#viewport.isNear,
      load: (options) => this.load(options),
      onChange: (before, after) => this.#onResourceChange(before, after),
    });
    // oxlint-disable-next-line no-new -- it works by its callbacks alone
    new PageController(this, {
      onTick: () => this.#viewport.isVisible && this.resource.revalidateIfDue(this.live),
      onReturn: (isLong) => this.resource.revalidateOnReturn(isLong),
    });
    this.#internals.states?.add(this.state);
  }

  static override get observedAttributes(): string[] {
    return [...super.observedAttributes, 'lang'];
  }

  /** What the element is doing; also matched in CSS by `:state(…)`. */
  get state(): PulseStatus {
    return this.resource.state.status;
  }

  /** A token that never changes, for pages without a `tokenProvider`; as an attribute it is taken in and removed. */
  set token(value: string | null | undefined) {
    this.tokenProvider = value ? constantProvider(value) : undefined;
    this.removeAttribute('token');
  }

  /** @internal */
  abstract readonly resourceKey: string;
  /** @internal */
  abstract load(options: LoadOptions): Promise<Result<T>>;
  /** Tells the page what has become of the data. @internal */
  protected abstract dispatchEvents(before: ResourceState<T>, after: ResourceState<T>): void;
  /** What the reader is told of a failure. @internal */
  protected abstract errorMessage(failure: Failure): string;

  /** The address of the BFF that is asked, without a slash at its end. @internal */
  get resolvedBaseUrl(): string {
    return resolveBaseUrl(this.baseUrl);
  }

  /** The BFF that is asked, with the tokens of the element. @internal */
  protected get bff(): Bff {
    return bffAt(this.resolvedBaseUrl, this.tokenProvider);
  }

  /** The same, for a request that is sent now. @internal */
  protected readonly useBff = (): Bff => (this.#usedBff = this.bff);

  /** Requests again; resolves when the answer is shown, whatever it is. */
  async refresh(): Promise<void> {
    await this.resource.refresh();
    await this.updateComplete;
  }

  override attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (name === 'lang') this.requestUpdate();
    // Neither a token that was taken in and removed nor an empty one unsets anything.
    else if (name !== 'token' || after) super.attributeChangedCallback(name, before, after);
  }

  #onResourceChange(before: ResourceState<T>, after: ResourceState<T>): void {
    this.#internals.states?.delete(before.status);
    this.#internals.states?.add(after.status);
    this.requestUpdate();
    void this.updateComplete.then(() => {
      this.dispatchEvents(before, after);
      this.#reportFailure(before, after);
    });
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    const root = super.createRenderRoot();
    this.renderOptions.renderBefore = null;
    return root;
  }

  /** Whether a server rendered the element and its content is still shown. @internal */
  protected get hasServerContent(): boolean {
    return this.#serverNodes.length > 0;
  }

  /** Whether there is nothing yet to take the place of what a server rendered. @internal */
  protected get keepsServerContent(): boolean {
    const { data, failure } = this.resource.state;
    return this.hasServerContent && !data && failure?.retriable !== false;
  }

  /** Whether the page has put something into the element to be shown until it is ready. @internal */
  protected get hasFallback(): boolean {
    return [...this.childNodes].some(isFallback);
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('tokenProvider')) this.#replaceToken(changed.get('tokenProvider') as TokenProvider | undefined);
  }

  protected override async scheduleUpdate(): Promise<void> {
    // Requests do not wait for a turn, so that elements that come together share one.
    this.#viewport.check();
    if (this.hasUpdated) this.resource.start();
    // The first rendering takes the place of what the page shows, so it happens before the next frame.
    if (this.hasUpdated && !page.isPrinting) await renderTurn();
    await super.scheduleUpdate();
  }

  protected override update(changed: PropertyValues): void {
    const root = this.renderRoot as ShadowRoot;
    const focused = root.activeElement;
    if (!this.keepsServerContent) for (const node of this.#serverNodes.splice(0)) node.remove();
    super.update(changed);
    // What had the focus may be gone; the next key still belongs to this element.
    if (focused && !focused.isConnected) this.#focusPart(focused.part.value);
  }

  #focusPart(part: string): void {
    const target = this.renderRoot.querySelector<HTMLElement>(`[part="${part}"]`);
    (target ?? this.renderRoot.querySelector<HTMLElement>('[tabindex="-1"]'))?.focus();
  }

  #replaceToken(previous: TokenProvider | undefined): void {
    if (previous && !this.tokenProvider) forgetTokens(previous);
    if (!this.#usedBff || this.#usedBff === this.bff) return;
    // Another reader may see other data, none may see none.
    if (this.tokenProvider && this.resource.state.data) void this.resource.revalidate();
    else this.resource.reset();
  }

  async #announce(failure: Failure): Promise<void> {
    await this.localize.loaded;
    await this.updateComplete;
    announce(this.errorMessage(failure), this.localize.messages.lang);
  }

  #reportFailure(before: ResourceState<T>, { failure, status }: ResourceState<T>): void {
    if (!failure || status === before.status || status === 'loading' || status === 'empty') return;
    const { code, status: httpStatus, retriable } = failure;
    const message = this.errorMessage(failure);
    dispatch(this, 'pulse-error', { code, status: httpStatus, retriable, message });
    if (status === 'error') void this.#announce(failure);
    warnOnce(explainFailure(failure, this));
  }
}

/** Says whether `node` is something that the page wants to be shown until the card is ready. */
function isFallback(node: Node): boolean {
  if (node instanceof Element) return !node.slot && node.localName !== 'script';
  return node instanceof Text && node.data.trim() !== '';
}
