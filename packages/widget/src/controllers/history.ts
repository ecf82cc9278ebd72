import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** How the earlier findings of a card are loaded. */
export interface HistoryOptions<View> {
  /** Identifies the source and the run; undefined if none is shown. A change drops the loaded findings. */
  readonly key: () => string | undefined;
  /** Whether the earlier findings should be visible. */
  readonly isWanted: () => boolean;
  /** Resolves with their template. */
  readonly load: (signal: AbortSignal) => Promise<View | undefined>;
}

/** Loads the earlier findings of its host when they are first wanted, and drops them together with the pulse. */
export class HistoryController<View> implements ReactiveController {
  template: View | undefined;
  readonly #host: ReactiveControllerHost;
  readonly #options: HistoryOptions<View>;
  #key: string | undefined;
  #request: AbortController | undefined;

  constructor(host: ReactiveControllerHost, options: HistoryOptions<View>) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostUpdate(): void {
    const { key, isWanted } = this.#options;
    if (this.#key !== key()) {
      this.#request?.abort();
      this.#request = this.template = undefined;
      this.#key = key();
    }
    if (this.#key && isWanted() && !this.#request) void this.#load();
  }

  async #load(): Promise<void> {
    const { signal } = (this.#request = new AbortController());
    const template = await this.#options.load(signal).catch(() => undefined);
    if (signal.aborted) return;
    this.template = template;
    this.#host.requestUpdate();
  }
}
