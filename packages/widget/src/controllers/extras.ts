import type { ReactiveController } from 'lit';
import type { CardHost, ShownCard } from '../elements/pulse-card/shown-card.ts';
import type { Extras } from '../lazy/imports.ts';
import { extras } from '../lazy/lazy-module.ts';

/** How long to wait before a missing file is requested again, unless the reader clicks a button. */
const RETRY_AFTER_MS = 5_000;

/** Loads the code that a card needs only for a button or an attribute. */
export class ExtrasController implements ReactiveController {
  readonly #host: CardHost;

  constructor(host: CardHost) {
    this.#host = host;
    host.addController(this);
  }

  /** Events inside the card don't leave it, so the listener is on its shadow root. */
  hostConnected(): void {
    for (const type of ['pointerover', 'focusin', 'touchstart'])
      this.#host.renderRoot.addEventListener(type, this.#onApproach, { passive: true });
  }

  hostUpdate(): void {
    const { shadowRoot } = this.#host;
    if (shadowRoot) extras.style(shadowRoot);
  }

  hostUpdated(): void {
    const { actions, history, open, currentPulse } = this.#host;
    if (actions && currentPulse && !extras.value) this.#start(async () => this.#host.requestUpdate());
    if (history && open) this.#start((extras, card) => extras.loadHistory(card));
  }

  /** Renders a part of the card, if its code has loaded. */
  readonly template = (part: keyof Extras['templates']): unknown => extras.value?.templates[part](this.#host._card);

  /** Calls `use` with the code. Rejects if the code can't be loaded. */
  async call<Value>(use: (code: Extras, card: ShownCard) => Promise<Value>, waitMs?: number): Promise<Value> {
    const code = await this.#load(waitMs);
    if (!code) throw new Error('Can’t load the code for the actions');
    return use(code, this.#host._card);
  }

  readonly onEnlarge = (): void => void this.#enlarge();

  /** Opens the enlarged view, or the chart in a new tab if the code can't be loaded. */
  async #enlarge(): Promise<void> {
    const { currentPulse: pulse } = this.#host;
    if (!pulse || !this.#host._dispatch('pulse-enlarge', { pulse })) return;
    const code = await this.#load();
    // The card might show a different pulse by now, or none.
    if (this.#host.currentPulse !== pulse) return;
    if (code) await code.enlarge(this.#host);
    else open(pulse.imageUrl as string, '_blank', 'noopener');
  }

  /** Loads the code when the reader approaches the button that enlarges the chart. */
  readonly #onApproach = ({ target }: Event): void => {
    if ((target as Element).closest('[part=enlarge]')) void this.#load(RETRY_AFTER_MS);
  };

  /** Calls `use` with the code, even though no button was clicked. */
  #start(use: (code: Extras, card: ShownCard) => Promise<void>): void {
    void this.call(use, RETRY_AFTER_MS).catch(() => undefined);
  }

  async #load(waitMs?: number): Promise<Extras | undefined> {
    const code = await extras.load(waitMs);
    await this.#host.updateComplete;
    return code;
  }
}
