import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** How far the picture is; `slow` is told to the reader like `failed`, but may still become `loaded`. */
export type ChartStatus = 'loading' | 'loaded' | 'slow' | 'failed';

const SLOW_AFTER_MS = 10_000;

/** Waits before further attempts; each is spread by up to its own length, as charts that fail together must not retry in step. */
const RETRY_DELAYS_MS = [2_000, 8_000, 30_000];

/** Follows the loading of one picture, and loads it again after a failure. */
export class ChartController implements ReactiveController {
  status: ChartStatus = 'loading';
  url: string | null | undefined;
  /** Counts the attempts. */
  attempt = 0;
  readonly #host: ReactiveControllerHost;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: ReactiveControllerHost) {
    this.#host = host;
    host.addController(this);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
  }

  /** Starts over if `url` is another picture; to be called before the host renders. */
  setUrl(url: string | null | undefined): void {
    if (url === this.url) return;
    this.url = url;
    this.attempt = 0;
    this.#setStatus('loading');
  }

  /** Loads the picture again if it is missing. */
  readonly retry = (): void => {
    if (this.status !== 'failed' && this.status !== 'slow') return;
    this.attempt++;
    this.#setStatus('loading');
  };

  readonly onLoad = (): void => this.#setStatus('loaded');

  readonly onError = (): void => {
    this.#setStatus('failed');
    const delayMs = RETRY_DELAYS_MS[this.attempt];
    if (delayMs) this.#timer = setTimeout(this.retry, delayMs * (1 + Math.random()));
  };

  #setStatus(status: ChartStatus): void {
    clearTimeout(this.#timer);
    this.status = status;
    if (status === 'loading') this.#timer = setTimeout(() => this.#setStatus('slow'), SLOW_AFTER_MS);
    this.#host.requestUpdate();
  }
}
