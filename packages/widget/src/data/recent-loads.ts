import type { Result } from './result.ts';

/** New cards reuse a response that is younger than this, in milliseconds. */
const RECENT_MS = 15_000;

/** The request for one source, which several cards can share. */
export class RecentLoad {
  readonly result: Promise<Result>;
  readonly #signal: SharedSignal;
  /** The time of the response, in milliseconds since the Unix epoch; `Infinity` while the request is in progress. */
  #receivedAt = Infinity;

  constructor(result: Promise<Result>, signal: SharedSignal) {
    this.result = result;
    this.#signal = signal;
    // A card that is added after a temporary failure sends its own request.
    void result.then((received) => (this.#receivedAt = received.ok || !received.retriable ? Date.now() : -Infinity));
  }

  /** Whether another card can use the result. */
  get isRecent(): boolean {
    return !this.#signal.aborted && Date.now() - this.#receivedAt < RECENT_MS;
  }

  /** Lets one more card use the result until `signal` is aborted. */
  join(signal: AbortSignal): Promise<Result> {
    this.#signal.add(signal);
    return this.result;
  }
}

/** A signal that is aborted when all signals that were added to it are aborted. */
export class SharedSignal {
  readonly #controller = new AbortController();
  #pending = 0;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.signal.aborted;
  }

  add(signal: AbortSignal): void {
    this.#pending++;
    signal.addEventListener('abort', () => --this.#pending || this.#controller.abort());
  }
}
