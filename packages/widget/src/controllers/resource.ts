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

/** How a resource is requested. */
export interface LoadOptions {
  /** Makes the browser revalidate its cached response. */
  readonly revalidate: boolean;
  /** Aborted when the response is no longer needed. */
  readonly signal: AbortSignal;
}

/** How a resource is loaded, and the callbacks of its element. */
export interface ResourceOptions<T> {
  /** Identifies the resource. A change starts over. Nothing is requested while it is empty. */
  readonly key: () => unknown;
  /** The value that the page sets. Nothing is requested then. Returns the same result until the page sets a different value. */
  readonly given?: () => Result<T> | undefined;
  /** Whether the element is near enough to the viewport to request anything. */
  readonly isNear: () => boolean;
  /** Whether requests are not allowed for now. */
  readonly isPaused?: () => boolean;
  /** Requests the resource. Never rejects. */
  readonly load: (options: LoadOptions) => Promise<Result<T>>;
  /** Called after every change of the state. */
  readonly onChange: (before: ResourceState<T>, after: ResourceState<T>) => void;
}

/** Failures that a retry can't end. The reader may have ended them by signing in or by making the first pulse. */
const ENDS_ELSEWHERE: readonly string[] = ['signed_out', 'pulse_not_found'];

/** Requests the data of its host once the host is near the viewport, retries while that helps, and keeps the state. */
export class ResourceController<T> implements ReactiveController {
  state: ResourceState<T> = IDLE;
  readonly #host: ReactiveControllerHost & { readonly isConnected: boolean };
  readonly #options: ResourceOptions<T>;
  #key: unknown = '';
  #given: Result<T> | undefined;
  /** The request that is under way. Responses to other requests are discarded. */
  #request: AbortController | undefined;
  #manualRequest: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The time of the next retry, in milliseconds since 1970; NaN if there is none. */
  #retryAt = NaN;

  constructor(host: ReactiveControllerHost & { readonly isConnected: boolean }, options: ResourceOptions<T>) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  /** Sends the first request for the current key, unless it was already sent. */
  start(): void {
    this.#adoptKey();
    if (!this.#key || this.#options.isPaused?.() || this.#takeGiven() || this.state.status !== 'idle') return;
    if (!this.#options.isNear() || !this.#host.isConnected) return;
    this.#setState(requestStarted(this.state, false));
    void this.#load(false);
  }

  hostUpdate(): void {
    this.start();
  }

  /** Sets the timer of a retry that is due within seconds, unless the page is hidden or the host is removed. */
  hostUpdated(): void {
    this.start();
    clearTimeout(this.#timer);
    const delayMs = this.#retryAt - Date.now();
    if (!(delayMs < MIN_SLOW_RETRY_MS) || isPageHidden() || !this.#host.isConnected) return;
    this.#timer = setTimeout(() => void this.revalidate(), delayMs);
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
  }

  /** Starts over, as if nothing had been requested yet. If there is a `failure`, it is treated as the response. */
  reset(failure?: Failure): void {
    this.#cancel();
    this.#given = undefined;
    this.#setState(IDLE);
    if (failure) this.#receive(requestStarted(IDLE, true), failure);
  }

  /** Requests again for the reader or the page. A failure is shown immediately. Resolves with the response. */
  refresh(): Promise<void> {
    this.#adoptKey();
    if (!this.#mayRequest()) return Promise.resolve();
    if (this.#manualRequest) return this.#manualRequest;
    this.#setState(requestStarted(this.state, true));
    return (this.#manualRequest = this.revalidate());
  }

  /** Requests again in the background, unless nothing was requested yet. Visible data stays. */
  async revalidate(): Promise<void> {
    if (this.#mayRequest() && this.state.status !== 'idle') await this.#load(true);
  }

  /** Replaces a first request that is under way, because its response would be too late for printing. */
  loadForPrint(): void {
    const { status, failure } = this.state;
    if (status === 'loading' && !failure) void this.revalidate();
  }

  /** Requests again if a retry is due. A live host also requests again if nothing has failed. */
  revalidateIfDue(isLive: boolean): void {
    const { failure, status } = this.state;
    const isFailing = !!this.#retryAt || (failure && status !== 'empty');
    if (isFailing ? Date.now() >= this.#retryAt : isLive && !this.#request) void this.revalidate();
  }

  /** Requests again for a reader who returns: after a failure, and always after a long absence. */
  revalidateOnReturn(isLong: boolean): void {
    const { failure } = this.state;
    const mayHelp = failure?.retriable || ENDS_ELSEWHERE.includes(failure?.code ?? '');
    const isWorthIt = mayHelp && !this.#request && !(failure?.retryAfterMs && Date.now() < this.#retryAt);
    if (isLong || isWorthIt) void this.revalidate();
  }

  /** Whether a request is allowed. An element that is not on the page isn't notified when it must remove its content. */
  #mayRequest(): boolean {
    const isReachable = this.#host.isConnected && !this.#options.isPaused?.();
    return !!this.#key && isReachable && !this.#options.given?.();
  }

  /** Shows the value that the page sets. Returns whether there is one. */
  #takeGiven(): boolean {
    const given = this.#options.given?.();
    if (given === this.#given) return !!given;
    this.#given = given;
    if (!given) this.reset();
    else {
      this.#cancel();
      this.#setState(responseReceived(requestStarted(this.state, true), given));
    }
    return !!given;
  }

  #adoptKey(): void {
    const key = this.#options.key();
    if (key === this.#key) return;
    this.#key = key;
    if (this.state !== IDLE) this.reset();
  }

  async #load(revalidate: boolean): Promise<void> {
    this.#cancel();
    const request = (this.#request = new AbortController());
    const result = await this.#options.load({ revalidate, signal: request.signal });
    if (request !== this.#request) return;
    this.#request = this.#manualRequest = undefined;
    this.#receive(this.state, result);
  }

  #receive(before: ResourceState<T>, result: Result<T>): void {
    const state = responseReceived(before, result);
    this.#retryAt = Date.now() + (retryDelayMs(state, page.jitter) ?? NaN);
    this.#setState(state);
  }

  /** Drops the request that is under way and the next retry. */
  #cancel(): void {
    this.#request?.abort();
    this.#request = this.#manualRequest = undefined;
    this.#retryAt = NaN;
  }

  #setState(after: ResourceState<T>): void {
    const before = this.state;
    this.state = after;
    this.#options.onChange(before, after);
  }
}
