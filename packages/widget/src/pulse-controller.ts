import { NEW_WORDS } from './languages.ts';
import type { Outcome, Pulse } from './pulse-outcome.ts';
import { answered, asked, IDLE, nextAskInMs, type PulseModel } from './pulse-state.ts';

/** Far enough ahead that a chart is there when the reader is. */
const NEAR: IntersectionObserverInit = { rootMargin: '200px' };

/** Says whether the page is being printed. */
export const paper = matchMedia('print');

const PAGE_EVENTS: readonly (readonly [EventTarget, string])[] = [
  [document, 'visibilitychange'],
  [window, 'online'],
  [window, NEW_WORDS],
  [window, 'beforeprint'],
  [paper, 'change'],
];

/** What a controller needs of its element. */
export interface PulseHost<Shown = Pulse> extends Element {
  /** What is asked for; nothing is, while it is empty. */
  readonly subject: string;
  readonly loading: string;
  requestUpdate(): void;
  /** Asks for the subject; `again` has browsers look past what they keep. Never rejects. */
  ask(again: boolean): Promise<Outcome<Shown>>;
  /** Told of every step, after it was taken. */
  modelChanged(before: PulseModel<Shown>, after: PulseModel<Shown>): void;
}

/** Keeps the model of one element: asks when it is near, asks again when that helps, listens to the page. */
export class PulseController<Shown = Pulse> {
  model: PulseModel<Shown> = IDLE;
  readonly #host: PulseHost<Shown>;
  readonly #near = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) this.begin();
  }, NEAR);
  /** Counts questions; the answer to an earlier one is dropped. */
  #question = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When to ask next, in milliseconds since 1970; NaN for never. */
  #dueAt = NaN;

  constructor(host: PulseHost<Shown>) {
    this.#host = host;
  }

  connect(): void {
    for (const [target, type] of PAGE_EVENTS) target.addEventListener(type, this);
    this.start();
    this.#wake();
  }

  disconnect(): void {
    for (const [target, type] of PAGE_EVENTS) target.removeEventListener(type, this);
    this.#near.disconnect();
    clearTimeout(this.#timer);
  }

  handleEvent({ type }: Event): void {
    if (type === 'online') {
      if (this.model.failure?.retriable) void this.refresh();
    } else {
      if (type === 'visibilitychange') this.#wake();
      // Prints whole: what is far away is asked for now, what is folded unfolds.
      else if (type !== NEW_WORDS) this.begin();
      this.#host.requestUpdate();
    }
  }

  /** Forgets the pulse and begins with the source that the host names now. */
  restart(): void {
    this.#forget();
    this.#become(IDLE);
    this.start();
  }

  /** Asks for the pulse, at once or when the card comes near; a card that has asked already is left alone. */
  start(): void {
    if (!this.#host.isConnected) return;
    if (this.#host.loading === 'eager') this.begin();
    else this.#near.observe(this.#host);
  }

  /** Asks now, unless that has happened. */
  begin(): void {
    this.#near.disconnect();
    if (this.model !== IDLE || !this.#host.subject) return;
    this.#become(asked(this.model));
    void this.#ask(false);
  }

  /** Asks again now; the next failure is final. */
  refresh(): Promise<void> {
    this.#become(asked(this.model, true));
    return this.renew();
  }

  /** Shows an outcome that the page gave. */
  show(outcome: Outcome<Shown>): void {
    this.#forget();
    this.#become(answered(asked(this.model, true), outcome));
  }

  /** Asks again with what is shown kept, whatever comes of it. */
  renew(): Promise<void> {
    return this.#ask(true);
  }

  async #ask(again: boolean): Promise<void> {
    const question = this.#forget();
    const outcome = await this.#host.ask(again);
    if (question !== this.#question) return;
    this.#become(answered(this.model, outcome));
    this.#dueAt = Date.now() + (nextAskInMs(this.model) ?? NaN);
    this.#wake();
  }

  /** Drops what is on its way and what is due. */
  #forget(): number {
    this.#dueAt = NaN;
    clearTimeout(this.#timer);
    return ++this.#question;
  }

  /** Sets the alarm for what is due; a hidden or removed card has none. */
  #wake(): void {
    clearTimeout(this.#timer);
    if (!this.#dueAt || document.hidden || !this.#host.isConnected) return;
    this.#timer = setTimeout(() => void this.renew(), this.#dueAt - Date.now());
  }

  #become(after: PulseModel<Shown>): void {
    const before = this.model;
    this.model = after;
    this.#host.modelChanged(before, after);
  }
}
