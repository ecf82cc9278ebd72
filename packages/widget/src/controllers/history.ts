import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** The earlier findings of a card, and how they are loaded. */
export interface HistoryOptions<View> {
  /** Names the source and the run that are shown; undefined if none is. A change drops what was loaded. */
  readonly key: () => string | undefined;
  /** Whether the reader sees the place of the earlier findings. */
  readonly isWanted: () => boolean;
  /** Resolves with their template. */
  readonly load: (signal: AbortSignal) => Promise<View | undefined>;
}

/** Loads the earlier findings of its host when they are seen first, and drops them together with the pulse. */
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
