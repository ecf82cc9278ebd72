import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Failure, Result } from '../data/result.ts';
import { isPageHidden, page } from './page.ts';
import {
  IDLE,
  MIN_SLOW_RETRY_MS,
  requestStarted,
  type ResourceState,
  responseReceived,
  retryDelayMs,
} from './resource-state.ts';

/** Options for requesting a resource. */
export interface LoadOptions {
  /** Makes the browser revalidate its cached response. */
  readonly revalidate: boolean;
  /** Aborted when the response is no longer needed. */
  readonly signal: AbortSignal;
}

/** An element that shows a resource. */
export interface ResourceHost<T> extends ReactiveControllerHost {
  readonly isConnected: boolean;
  /**
   * Identifies the resource. If the key changes, the controller starts over. While the key is empty, nothing is
   * requested.
   */
  readonly _key: unknown;
  /** Whether the element needs the resource, for example because it is near the viewport. */
  readonly _isWanted: boolean;
  /** Whether requests are currently paused. */
  readonly _isPaused: boolean;
  /** The value that the page sets, if any. Nothing is requested while the page sets a value. */
  readonly _given?: unknown;
  /** Parses the value that the page sets. */
  _parseGiven?(): Result<T>;
  /** Requests the resource. Never rejects. */
  _request(options: LoadOptions): Promise<Result<T>>;
  /** Called after each state change. */
  _onResourceChange(before: ResourceState<T>, after: ResourceState<T>): void;
}

/**
 * Failures that a retry can't resolve. A returning reader might have resolved them by signing in or by creating the
 * first pulse.
 */
const ENDS_ELSEWHERE: readonly string[] = ['signed_out', 'pulse_not_found'];

/** How long data stays visible after the reader's session has ended. */
const KEEPS_SIGNED_OUT_MS = 600_000;

/**
 * Requests its host's data once the host is near the viewport, retries while a retry might help, and tracks the state.
 */
export class ResourceController<T> implements ReactiveController {
  state: ResourceState<T> = IDLE;
  readonly #host: ResourceHost<T>;
  #key: unknown = '';
  /** The last value that the page set. */
  #given: unknown;
  /** The request that is in progress. Responses to other requests are discarded. */
  #request: AbortController | undefined;
  /** Resolves when the response to the latest request has arrived. */
  #pending: Promise<void> | undefined;
  #manualRequest: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dropTimer: ReturnType<typeof setTimeout> | undefined;
  /** The time of the next retry, in milliseconds since the Unix epoch; NaN if there is none. */
  #retryAt = NaN;

  constructor(host: ResourceHost<T>) {
    this.#host = host;
    host.addController(this);
  }

  /** Sends the first request for the current key, unless it was already sent. */
  start(): void {
    this.#adoptKey();
    const { _isPaused, _isWanted, isConnected } = this.#host;
    if (!this.#key || _isPaused || this.#takeGiven() || this.state.status !== 'idle') return;
    if (!_isWanted || !isConnected) return;
    this.#setState(requestStarted(this.state, false));
    void this.#load(false);
  }

  hostUpdate(): void {
    this.start();
  }

  hostUpdated(): void {
    this.setTimer();
  }

  /** Sets a timer for a retry that is due within seconds, unless the page is hidden or the host is removed. */
  setTimer(): void {
    clearTimeout(this.#timer);
    const delayMs = this.#retryAt - Date.now();
    if (!(delayMs < MIN_SLOW_RETRY_MS) || isPageHidden() || !this.#host.isConnected) return;
    this.#timer = setTimeout(() => void this.revalidate(), delayMs);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
    // If the host is only being moved, it is connected again by the time the microtask runs.
    queueMicrotask(() => {
      if (this.state.status === 'loading' && !this.#host.isConnected) this.reset();
    });
  }

  /** Returns to the state before the first request. A `failure`, if given, is handled like a response. */
  reset(failure?: Failure): void {
    this.#cancel();
    this.#keep();
    this.#given = undefined;
    this.#setState(IDLE);
    if (failure) this.#receive(requestStarted(IDLE, true), failure);
  }

  /**
   * Sends a new request because the reader or the page asked for it. A failure is shown immediately. Resolves when the
   * response has arrived.
   */
  refresh(): Promise<void> {
    this.#adoptKey();
    if (!this.#mayRequest()) return Promise.resolve();
    if (this.#manualRequest) return this.#manualRequest;
    this.#setState(requestStarted(this.state, true));
    return (this.#manualRequest = this.revalidate());
  }

  /** Sends a new request in the background, if the resource was requested before. Visible data stays. */
  async revalidate(): Promise<void> {
    if (this.#mayRequest() && this.state.status !== 'idle') await this.#load(true);
  }

  /** Sends a new request if the next retry is due. A live host sends a request even if nothing has failed. */
  revalidateIfDue(isLive: boolean): void {
    const { failure, status } = this.state;
    const isFailing = !!this.#retryAt || (failure && status !== 'empty');
    if (isFailing ? Date.now() >= this.#retryAt : isLive && !this.#request) void this.revalidate();
  }

  /** Sends a new request for a returning reader if the last request failed or the absence was long. */
  revalidateOnReturn(isLong: boolean): void {
    const { failure } = this.state;
    const mayHelp = failure?.retriable || ENDS_ELSEWHERE.includes(failure?.code ?? '');
    const isWorthIt = mayHelp && !this.#request && !(failure?.retryAfterMs && Date.now() < this.#retryAt);
    if (isLong || isWorthIt) void this.revalidate();
  }

  /**
   * Whether a request is allowed. An element that isn't on the page can't send requests, because it isn't notified when
   * it must remove its content.
   */
  #mayRequest(): boolean {
    const { isConnected, _isPaused } = this.#host;
    return !!this.#key && isConnected && !_isPaused && !this.#host._given;
  }

  /** Shows the value that the page sets. Returns whether the page sets a value. */
  #takeGiven(): boolean {
    const { _given } = this.#host;
    if (_given === this.#given) return !!_given;
    const result = _given ? this.#host._parseGiven?.() : undefined;
    if (result) {
      this.#cancel();
      this.#setState(responseReceived(requestStarted(this.state, true), result));
    } else this.reset();
    this.#given = _given;
    return !!result;
  }

  #adoptKey(): void {
    const key = this.#host._key;
    if (key === this.#key) return;
    this.#key = key;
    if (this.state !== IDLE) this.reset();
  }

  #load(revalidate: boolean): Promise<void> {
    this.#cancel();
    return (this.#pending = this.#send(revalidate));
  }

  async #send(revalidate: boolean): Promise<void> {
    const request = (this.#request = new AbortController());
    const result = await this.#host._request({ revalidate, signal: request.signal });
    // This request has been replaced by a later one.
    if (request !== this.#request) return this.#pending;
    this.#request = this.#manualRequest = undefined;
    this.#receive(this.state, result);
  }

  #receive(before: ResourceState<T>, result: Result<T>): void {
    const state = responseReceived(before, result);
    this.#retryAt = Date.now() + (retryDelayMs(state, page.jitter) ?? NaN);
    this.#setState(state);
    if (state.data && state.failure?.code === 'signed_out')
      this.#dropTimer ??= setTimeout(() => this.reset(this.state.failure), KEEPS_SIGNED_OUT_MS);
    else this.#keep();
  }

  /** Stops the timer for dropping the data, because the reader is signed in again. */
  #keep(): void {
    clearTimeout(this.#dropTimer);
    this.#dropTimer = undefined;
  }

  /** Drops the request in progress and cancels the next retry. */
  #cancel(): void {
    this.#request?.abort();
    this.#request = this.#manualRequest = this.#pending = undefined;
    this.#retryAt = NaN;
  }

  #setState(after: ResourceState<T>): void {
    const before = this.state;
    this.state = after;
    this.#host._onResourceChange(before, after);
  }
}
