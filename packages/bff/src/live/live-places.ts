/** Streams of one client address: the pages of a household, not those of a crawler. */
export const MOST_STREAMS_OF_ONE = 20;

/** Streams at once: about 20 KB each. */
export const MOST_STREAMS = 10_000;

/** Why there is no place. */
export type NoPlace = 'client' | 'total';

/** Counts who has a stream open. */
export class LivePlaces {
  readonly #byClient = new Map<string, number>();
  readonly #most: number;
  #taken = 0;

  constructor(most = MOST_STREAMS) {
    this.#most = most;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Why `client` can't have a place, if so. */
  obstacle(client: string): NoPlace | undefined {
    if ((this.#byClient.get(client) ?? 0) >= MOST_STREAMS_OF_ONE) return 'client';
    return this.#taken >= this.#most ? 'total' : undefined;
  }

  take(client: string): void {
    this.#taken += 1;
    this.#byClient.set(client, (this.#byClient.get(client) ?? 0) + 1);
  }

  give(client: string): void {
    this.#taken -= 1;
    const left = (this.#byClient.get(client) ?? 0) - 1;
    if (left > 0) this.#byClient.set(client, left);
    else this.#byClient.delete(client);
  }
}
