import type { TemplateResult } from 'lit/html.js';
import { announce } from './announcer.ts';
import { CardElement, propertyOf, reflect } from './card-element.ts';
import type { Variant } from './card-size.ts';
import { fetchWords, languageOf, setWords, wordsFor } from './languages.ts';
import { cardStyles } from './pulse-card.styles.ts';
import { paper, PulseController, type PulseHost } from './pulse-controller.ts';
import { dispatch } from './pulse-events.ts';
import { failureOf, readPulse } from './pulse-guard.ts';
import type { Pulse } from './pulse-outcome.ts';
import type { PulseModel, PulseState } from './pulse-state.ts';
import { cardView, type CardActions } from './pulse-view.ts';
import { VERSION } from './version.ts';
import { warnOnce } from './warn-once.ts';
import { failureText } from './words.ts';

const ATTRIBUTES = {
  'source-id': '',
  'base-url': '',
  variant: 'card',
  loading: 'lazy',
  theme: 'auto',
  'heading-level': 3,
  open: false,
} as const;

/** Half of the smallest step that a relative time shows. */
const TICK_MS = 30_000;

const styleSheet = new CSSStyleSheet();
styleSheet.replaceSync(cardStyles);

/** Shows the latest pulse of one source: a chart and what it means. */
export class PulseCard extends CardElement implements PulseHost {
  static readonly observedAttributes = [...Object.keys(ATTRIBUTES), 'lang'];

  /** The version of this copy of the card. */
  static readonly version = VERSION;

  /** Where the BFF is, for cards that do not say. */
  static defaultBaseUrl = '';

  /** Gives the card's own words in a language (`cs`), or other words for one; for all cards of the page. */
  static readonly setWords = setWords;

  /** The source whose pulse is shown. */
  declare sourceId: string;
  /** The address of the BFF. */
  declare baseUrl: string;
  /** How the card is laid out. */
  declare variant: Variant;
  /** Whether to wait until the card is near the viewport. */
  declare loading: 'lazy' | 'eager';
  /** `auto` follows the colour scheme that the page declares around the card: light, where it declares none. */
  declare theme: 'auto' | 'light' | 'dark';
  /** The level of the card's heading, 2 to 6. */
  declare headingLevel: number;
  /** The long analysis is unfolded. */
  declare open: boolean;

  readonly #internals = this.attachInternals();
  readonly #card = new PulseController(this);
  readonly #actions: CardActions = {
    toggled: (open) => this.#toggled(open),
    retry: () => void this.refresh(),
  };
  #given: Pulse | null = null;
  #ticker: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super(styleSheet);
    this.#internals.states.add(this.state);
  }

  /** A pulse given by the page; the card asks for none then. */
  get pulse(): Pulse | null {
    return this.#given;
  }
  set pulse(value: Pulse | null) {
    this.#given = value;
    const pulse = readPulse(value);
    if (!value) this.#card.restart();
    else this.#card.show(pulse ? { ok: true, pulse, stale: false, source: null } : failureOf('invalid_answer', 0));
  }

  /** What the card is doing; also matched in CSS by `:state(…)`. */
  get state(): PulseState {
    return this.#card.model.state;
  }

  /** The address of the BFF that is asked, without a slash at its end. */
  get base(): string {
    return (this.baseUrl || PulseCard.defaultBaseUrl || location.origin).replace(/\/+$/, '');
  }

  /** Asks for the pulse again; resolves when the answer is shown, whatever it is. */
  async refresh(): Promise<void> {
    if (!this.#given) await this.#card.refresh();
    await this.updateComplete;
  }

  connectedCallback(): void {
    this.upgrade(['pulse', ...Object.keys(ATTRIBUTES).map(propertyOf)]);
    this.#card.hostConnected();
    this.#ticker = setInterval(() => document.hidden || this.requestUpdate(), TICK_MS);
    this.requestUpdate();
  }

  disconnectedCallback(): void {
    this.#card.hostDisconnected();
    clearInterval(this.#ticker);
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    if (!this.#given && /-id|-url/.test(name)) this.#card.restart();
    if (name === 'loading') this.#card.start();
    this.requestUpdate();
  }

  /** Called by the controller after each step. */
  modelChanged(before: PulseModel, after: PulseModel): void {
    const { states } = this.#internals;
    states.delete(before.state);
    states.add(after.state);
    this.requestUpdate();
    void this.updateComplete.then(() => this.#tell(before, after));
  }

  protected override view(): TemplateResult {
    const language = languageOf(this);
    void fetchWords(this.base, language, () => this.requestUpdate());
    return cardView(
      {
        language,
        model: this.#card.model,
        words: wordsFor(language),
        now: Date.now(),
        variant: this.variant,
        headingLevel: [2, 4, 5, 6].includes(this.headingLevel) ? this.headingLevel : 3,
        unfolded: this.open || paper.matches,
      },
      this.#actions,
    );
  }

  #tell(before: PulseModel, { pulse, failure, state }: PulseModel): void {
    const previous = before.pulse;
    if (pulse && !previous) dispatch(this, 'pulse-load', { pulse, stale: state === 'stale' });
    else if (pulse && pulse.jobRunId !== previous?.jobRunId) {
      dispatch(this, 'pulse-update', { pulse, previous: previous as Pulse });
    }
    if (!failure || state === 'loading' || state === before.state) return;
    const { code, status, retriable } = failure;
    const message = failureText(wordsFor(languageOf(this)), failure);
    dispatch(this, 'pulse-error', { code, status, retriable, message });
    if (state !== 'error') return;
    announce(message);
    warnOnce(`cannot show "${this.sourceId}": ${code} (${status})`);
  }

  #toggled(open: boolean): void {
    if (open === (this.open || paper.matches)) return;
    this.open = open;
    dispatch(this, 'pulse-toggle', { open });
  }
}

reflect(PulseCard.prototype, ATTRIBUTES);

declare global {
  interface HTMLElementTagNameMap {
    'pulse-card': PulseCard;
  }
}
