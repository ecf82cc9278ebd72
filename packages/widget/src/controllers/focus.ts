import type { LitElement, ReactiveController } from 'lit';

/** Moves focus to another part of its host if an update removes the focused part. */
export class FocusController implements ReactiveController {
  readonly #host: LitElement;
  #focused: Element | null | undefined;

  constructor(host: LitElement) {
    this.#host = host;
    host.addController(this);
  }

  hostUpdate(): void {
    this.#focused = this.#host.shadowRoot?.activeElement;
  }

  hostUpdated(): void {
    if (!this.#focused || this.#focused.isConnected) return;
    const find = (selector: string): HTMLElement | null => this.#host.renderRoot.querySelector(selector);
    (find(`[part="${this.#focused.part.value}"]`) ?? find('[tabindex="-1"]'))?.focus();
  }
}
