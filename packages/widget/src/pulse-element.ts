import { announce } from './announcer.ts';
import { CardElement, propertyOf } from './card-element.ts';
import type { Variant } from './card-size.ts';
import { fetchWords, languageOf, wordsFor } from './languages.ts';
import { PulseController, type PulseHost } from './pulse-controller.ts';
import { dispatch } from './pulse-events.ts';
import type { Failure, Outcome, Pulse } from './pulse-outcome.ts';
import type { PulseModel, PulseState } from './pulse-state.ts';
import { provideTokens, type TokenProvider } from './token-desk.ts';
import { styleSheet } from './style-sheet.ts';
import { VERSION } from './version.ts';
import { warnOnce } from './warn-once.ts';
import type { Words } from './words.ts';

/** Attributes of every element of ours, and what stands for each that is not there. */
export const ATTRIBUTES = {
  'base-url': '',
  variant: 'card',
  loading: 'lazy',
  theme: 'auto',
  'heading-level': 3,
  lang: '',
} as const;

/** Half of the smallest step that a relative time shows. */
const TICK_MS = 30_000;

/** An element that asks the BFF for one thing, shows what becomes of it, and tells the page. */
export abstract class PulseElement<Shown = Pulse> extends CardElement implements PulseHost<Shown> {
  /** The attributes that the element follows. */
  declare static readonly observedAttributes: readonly string[];

  /** The version of this copy of the script. */
  static readonly version = VERSION;

  /** Where the BFF is, for elements that do not say. */
  static defaultBaseUrl = '';

  /** The address of the BFF. */
  declare baseUrl: string;
  /** How cards are laid out. */
  declare variant: Variant;
  /** Whether to wait until the element is near the viewport. */
  declare loading: 'lazy' | 'eager';
  /** `auto` follows the colour scheme that the page declares around the element: light, where it declares none. */
  declare theme: 'auto' | 'light' | 'dark';
  /** The level of each card's heading, 2 to 6. */
  declare headingLevel: number;

  /** What the element knows, and how it asks. */
  readonly controller: PulseController<Shown> = new PulseController<Shown>(this);
  readonly #internals = this.attachInternals();
  #tokenProvider: TokenProvider | undefined;
  #ticker: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super(styleSheet);
    this.#internals.states.add(this.state);
  }

  abstract readonly subject: string;
  abstract ask(again: boolean): Promise<Outcome<Shown>>;

  /** Tells the page of what is there now, where that is news. */
  protected abstract tell(before: PulseModel<Shown>, after: PulseModel<Shown>): void;

  /** What the reader is told of a failure. */
  protected abstract textOf(failure: Failure): string;

  /** What the element is doing; also matched in CSS by `:state(…)`. */
  get state(): PulseState {
    return this.controller.model.state;
  }

  /** A token for private embeds, where the page has none to give later; as an attribute it is taken in and removed. */
  set token(value: string | undefined) {
    this.tokenProvider = value ? () => value : undefined;
  }

  /** Gives the tokens of all elements of the page that ask the same BFF, whenever one is needed. */
  get tokenProvider(): TokenProvider | undefined {
    return this.#tokenProvider;
  }
  set tokenProvider(value: TokenProvider | undefined) {
    this.#tokenProvider = value;
    this.requestUpdate();
    // What failed, or is on its way without a token, may work now; what is shown stays.
    if (!this.controller.model.pulse) this.restart();
  }

  /** The address of the BFF that is asked, without a slash at its end. */
  get base(): string {
    const base = (this.baseUrl || PulseElement.defaultBaseUrl || location.origin).replace(/\/+$/, '');
    // Asked for by every rendering and every question: from the first on, the page knows whom to ask for tokens.
    if (this.#tokenProvider && this.isConnected) provideTokens(base, this.#tokenProvider);
    return base;
  }

  /** The words of the language that the element stands in; other words than English come later. */
  protected get words(): Words {
    const language = languageOf(this);
    fetchWords(this.base, language);
    return wordsFor(language);
  }

  /** Asks again, as the reader wishes. */
  protected readonly retry = (): void => void this.refresh();

  /** Asks again; resolves when the answer is shown, whatever it is. */
  async refresh(): Promise<void> {
    if (this.subject) await this.controller.refresh();
    await this.updateComplete;
  }

  connectedCallback(): void {
    const { observedAttributes } = this.constructor as typeof PulseElement;
    this.upgrade(['pulse', 'tokenProvider', ...observedAttributes.map(propertyOf)]);
    this.controller.connect();
    this.#ticker = setInterval(() => document.hidden || this.requestUpdate(), TICK_MS);
    this.requestUpdate();
  }

  disconnectedCallback(): void {
    this.controller.disconnect();
    clearInterval(this.#ticker);
    // Unless it was only moved, it is not followed any more.
    this.requestUpdate();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (name === 'token' && after) {
      this.token = after;
      this.removeAttribute(name);
    }
    // An upgrade tells of each attribute before it connects: what they amount to is asked for then.
    if (before === after || (this.isConnected && !this.#ticker)) return;
    if (/-id|-url|provider/.test(name)) this.restart();
    if (name === 'loading') this.controller.start();
    this.requestUpdate();
  }

  /** Begins with what is to be shown now. */
  protected restart(): void {
    this.controller.restart();
  }

  /** Called by the controller after each step. */
  modelChanged(before: PulseModel<Shown>, after: PulseModel<Shown>): void {
    const { states } = this.#internals;
    states.delete(before.state);
    states.add(after.state);
    this.requestUpdate();
    void this.updateComplete.then(() => {
      this.tell(before, after);
      this.#tellFailure(before, after);
    });
  }

  #tellFailure(before: PulseModel<Shown>, { failure, state }: PulseModel<Shown>): void {
    if (!failure || state === 'loading' || state === before.state) return;
    const { code, status, retriable } = failure;
    const message = this.textOf(failure);
    dispatch(this, 'pulse-error', { code, status, retriable, message });
    if (state !== 'error') return;
    announce(message);
    warnOnce(`cannot show "${this.subject}": ${code} (${status})`);
  }
}
