import type { ReactiveController } from 'lit';
import type { Pulse } from '../data/pulse.ts';
import type { CardHost } from '../elements/pulse-card/shown-card.ts';
import type { AfterPaint } from '../lazy/imports.ts';
import { afterPaint } from '../lazy/lazy-module.ts';

/** Loads the code that a card doesn't need for its first paint, once the card is shown or has failed. */
export class AfterPaintController implements ReactiveController {
  /** The code, once this card uses it. */
  code: AfterPaint | undefined;
  /** Whether the code couldn't be loaded. */
  isMissing = false;
  /** The first pulse that the card has shown since it last had none. */
  #first: Pulse | null = null;
  readonly #host: CardHost;

  constructor(host: CardHost) {
    this.#host = host;
    host.addController(this);
  }

  hostUpdated(): void {
    const { state, open, currentPulse } = this.#host;
    this.#first = currentPulse && (this.#first ?? currentPulse);
    if (!this.code && (open || (state !== 'idle' && state !== 'loading'))) void this.#load();
  }

  async #load(): Promise<void> {
    // The chart must be requested first.
    await this.#host.updateComplete;
    const code = await afterPaint.load();
    if (!code && !this.isMissing) this.#host.requestUpdate();
    this.isMissing = !code;
    if (!code || this.code) return;
    this.code = code;
    code.attach(this.#host, this.#first);
    const { shadowRoot } = this.#host;
    if (!shadowRoot) return;
    afterPaint.style(shadowRoot);
    // Until now, Markdown blocks were shown as one paragraph.
    if (shadowRoot.querySelector('[part=lead], [part=analysis] > p')) this.#host.requestUpdate();
  }
}
