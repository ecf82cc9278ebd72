import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Pulse } from '../data/pulse.ts';
import { warnOnce } from '../diagnostics/warn-once.ts';

/** The maximum loading time. An image that takes longer counts as missing until it loads. */
const SLOW_AFTER_MS = 10_000;

/** The wait before each retry. A random fraction is added, so that charts that fail together don't retry together. */
const RETRY_DELAYS_MS = [2_000, 8_000, 30_000];

/** An element that shows a chart. */
export interface ChartHost extends ReactiveControllerHost {
  readonly isConnected: boolean;
  readonly currentPulse: Pulse | null;
  /** Returns the chart's URL; null if there is no chart. Undefined while the host waits for the page's image. */
  _chooseChartUrl(): string | null | undefined;
}

/** Tracks whether an image loads and reloads it after a failure. */
export class ChartController implements ReactiveController {
  isMissing = false;
  /** Whether the image of a new run hasn't loaded. Until then, browsers show the previous run's image. */
  isOutdated = false;
  url: string | null | undefined;
  /** Counts the attempts. */
  attempt = 0;
  readonly #host: ChartHost;
  #run: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the attempt has failed. An image that is only slow can still load. */
  #hasFailed = false;

  constructor(host: ChartHost) {
    this.#host = host;
    host.addController(this);
  }

  /** Retries after a failure, because the timer might have expired while the host was removed from the page. */
  hostConnected(): void {
    if (this.#hasFailed) this.retry();
  }

  /** Starts loading again when the image URL changes. A host that was removed from the page doesn't load anything. */
  hostUpdate(): void {
    const url = this.#host._chooseChartUrl();
    if (url === this.url || !this.#host.isConnected) return;
    const run = this.#host.currentPulse?.jobRunId;
    if (run !== this.#run) this.isOutdated = !!this.url;
    this.#run = run;
    this.url = url;
    this.#load(0);
  }

  /** Loads the image again if it is missing and the host is on the page. */
  readonly retry = (): void => {
    if (this.isMissing && this.#host.isConnected) this.#load(this.attempt + 1);
  };

  readonly onLoad = (): void => {
    this.isOutdated = false;
    this.#setMissing(false);
  };

  readonly onError = (): void => {
    const { url } = this;
    this.#hasFailed = true;
    this.#setMissing(true);
    this.#setTimer();
    if (url) warnOnce(`Can’t load ${url}; check that it exists and that img-src allows it`);
  };

  #load(attempt: number): void {
    this.attempt = attempt;
    this.#hasFailed = false;
    this.#setMissing(false);
    if (this.url) this.#setTimer();
  }

  /** Starts waiting: for the next attempt if the image is missing, otherwise for the image. */
  #setTimer(): void {
    const delayMs = this.isMissing ? (RETRY_DELAYS_MS[this.attempt] ?? 0) * (1 + Math.random()) : SLOW_AFTER_MS;
    if (delayMs) this.#timer = setTimeout(this.isMissing ? this.retry : () => this.#setMissing(true), delayMs);
  }

  #setMissing(isMissing: boolean): void {
    clearTimeout(this.#timer);
    this.isMissing = isMissing;
    this.#host.requestUpdate();
  }
}
