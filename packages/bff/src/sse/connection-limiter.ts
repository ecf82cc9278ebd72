/** Streams of one client address: the pages of a household, not those of a crawler. */
export const MAX_STREAMS_PER_CLIENT = 20;

/** Streams at once: about 20 KB each. */
export const MAX_STREAMS = 10_000;

/** The limit that was reached. */
export type LimitReached = 'client' | 'total';

/** Counts open streams, in total and by client. */
export class ConnectionLimiter {
  readonly #byClient = new Map<string, number>();
  readonly #max: number;
  #open = 0;

  constructor(max = MAX_STREAMS) {
    this.#max = max;
  }

  get open(): number {
    return this.#open;
  }

  /** The limit that keeps `client` from opening a stream, if any. */
  blockedReason(client: string): LimitReached | undefined {
    if ((this.#byClient.get(client) ?? 0) >= MAX_STREAMS_PER_CLIENT) return 'client';
    return this.#open >= this.#max ? 'total' : undefined;
  }

  take(client: string): void {
    this.#open += 1;
    this.#byClient.set(client, (this.#byClient.get(client) ?? 0) + 1);
  }

  release(client: string): void {
    this.#open -= 1;
    const left = (this.#byClient.get(client) ?? 0) - 1;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
  }
}
