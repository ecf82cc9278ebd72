import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Result } from '../data/result.ts';
import { page } from './page.ts';
import { IDLE, requestStarted, type ResourceState, responseReceived, retryDelayMs } from './resource-state.ts';

/** An element that shows one resource. */
export interface ResourceHost<T> extends ReactiveControllerHost {
  readonly isConnected: boolean;
  /** Names what is shown; a change starts over. Nothing is requested while it is empty. */
  readonly resourceKey: string;
  /** Whether the element is near enough to the viewport to request anything. */
  readonly isNear: boolean;
  /** Requests the resource; `revalidate` has the browser check its cached answer. Never rejects. */
  load(revalidate: boolean): Promise<Result<T>>;
  /** Called after every change of the state. */
  resourceChanged(before: ResourceState<T>, after: ResourceState<T>): void;
}

/** Requests what its host shows once that is near, retries while that helps, and keeps the state. */
export class ResourceController<T> implements ReactiveController {
  state: ResourceState<T> = IDLE;
  readonly #host: ResourceHost<T>;
  #key = '';
  /** The response to any request but the last is dropped. */
  #request: Promise<Result<T>> | undefined;
  #manualRequest: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When to retry, in milliseconds since 1970; NaN for never. */
  #retryAt = NaN;

  constructor(host: ResourceHost<T>) {
    this.#host = host;
    host.addController(this);
  }

  /** Requests what the host shows now, unless that has happened. */
  start(): void {
    this.#adoptKey();
    if (this.state.status !== 'idle' || !this.#key || !this.#host.isNear) return;
    this.#setState(requestStarted(this.state, false));
    void this.#load(false);
  }

  /** Sets the timer of the retry; none while the page is hidden or the host is removed. */
  hostUpdated(): void {
    this.start();
    clearTimeout(this.#timer);
    if (!this.#retryAt || document.hidden || !this.#host.isConnected) return;
    this.#timer = setTimeout(() => void this.revalidate(), this.#retryAt - Date.now());
  }

  hostDisconnected(): void {
    clearTimeout(this.#timer);
  }

  /** Starts over, as if nothing had been requested yet. */
  reset(): void {
    this.#cancel();
    this.#setState(IDLE);
  }

  /** Requests again because someone wishes it; a failure is shown at once. Resolves with the response. */
  refresh(): Promise<void> {
    this.#adoptKey();
    if (!this.#key) return Promise.resolve();
    if (this.#manualRequest) return this.#manualRequest;
    this.#setState(requestStarted(this.state, true));
    return (this.#manualRequest = this.revalidate());
  }

  /** Requests again in the background; what is shown stays. */
  revalidate(): Promise<void> {
    return this.#load(true);
  }

  /** Takes a result that came in another way: from the page, or in a stream. */
  show(result: Result<T>): void {
    this.#adoptKey();
    this.#cancel();
    this.#setState(responseReceived(requestStarted(this.state, true), result));
  }

  #adoptKey(): void {
    const key = this.#host.resourceKey;
    if (key === this.#key) return;
    this.#key = key;
    if (this.state !== IDLE) this.reset();
  }

  async #load(revalidate: boolean): Promise<void> {
    this.#cancel();
    const request = (this.#request = this.#host.load(revalidate));
    const result = await request;
    if (request !== this.#request) return;
    this.#cancel();
    const state = responseReceived(this.state, result);
    this.#retryAt = Date.now() + (retryDelayMs(state, page.jitter) ?? NaN);
    this.#setState(state);
  }

  /** Drops the request that is on its way and the retry that is due. */
  #cancel(): void {
    this.#request = this.#manualRequest = undefined;
    this.#retryAt = NaN;
  }

  #setState(after: ResourceState<T>): void {
    const before = this.state;
    this.state = after;
    this.#host.resourceChanged(before, after);
  }
}
