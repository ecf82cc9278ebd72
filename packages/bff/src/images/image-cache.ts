import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import { type FetchImage, type ImageOutcome, type ImageReader, READER_LEFT } from './image-proxy.ts';

/** Capacity. The chart of a run never changes, so that it never expires. */
const CAPACITY = { max: 1_000, bytes: 32 * 1024 * 1024 };

/** Charts that are fetched at once, each of 5 MiB at most. Others wait: a page may show fifty charts. */
const LIMITS = { maxRunning: 8, maxWaiting: 200, maxWaitMs: 10_000 };

/** How long a failure is cached. */
const FAILURE_TTL_MS = 5_000;

/** What the store needs. */
export interface ImageCacheOptions {
  readonly fetchImage: FetchImage;
  readonly clock: Clock;
}

/** Caches charts. Concurrent readers share one fetch, by the request of one of them, which no reader can slow down. */
export class ImageCache {
  readonly #fetchImage: FetchImage;
  readonly #limiter: ConcurrencyLimiter;
  readonly #cached: LRUCache<string, ImageOutcome>;
  readonly #underWay = new Map<string, ReturnType<FetchImage>>();

  constructor({ fetchImage, clock }: ImageCacheOptions) {
    this.#fetchImage = fetchImage;
    this.#limiter = new ConcurrencyLimiter(LIMITS, clock);
    this.#cached = new LRUCache({
      max: CAPACITY.max,
      maxSize: CAPACITY.bytes,
      sizeCalculation: (outcome) => (outcome.ok ? Math.max(1, outcome.bytes.length) : 1),
      perf: clock,
      ttlResolution: 0,
    });
  }

  /** The chart of `run` at `address`; a failure lasts for five seconds. */
  async read(run: string, address: URL, reader: ImageReader): Promise<ImageOutcome> {
    const name = `${run} ${address.href}`;
    while (!hasLeft(reader)) {
      const outcome =
        this.#cached.get(name) ?? (await (this.#underWay.get(name) ?? this.#fetch(name, address, reader)));
      // The fetch ended with its reader: the first of those who wait fetches by its own request.
      if (outcome !== READER_LEFT) return outcome;
    }
    return NO_TURN;
  }

  #fetch(name: string, address: URL, reader: ImageReader): ReturnType<FetchImage> {
    const fetched = this.#limiter
      .run(async () => (hasLeft(reader) ? READER_LEFT : this.#fetchImage(address, reader)))
      .then((outcome) => {
        if (outcome === undefined) return NO_TURN;
        if (outcome === READER_LEFT) return outcome;
        this.#cached.set(name, outcome, { ttl: outcome.ok ? 0 : FAILURE_TTL_MS });
        return outcome;
      })
      .finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, fetched);
    return fetched;
  }
}

/** Too many other charts are being fetched; this one is not remembered as a failure. */
const NO_TURN: ImageOutcome = { ok: false, code: 'upstream_unavailable' };

function hasLeft({ request, response }: ImageReader): boolean {
  return response.closed || request.socket.destroyed;
}

export interface ConcurrencyLimits {
  /** Tasks that run at once. */
  readonly maxRunning: number;
  /** Tasks that wait for their turn. */
  readonly maxWaiting: number;
  /** How long a task waits at most, in ms. */
  readonly maxWaitMs: number;
}

type Waiter = (isTurn: boolean) => void;

/** Runs a limited number of tasks at once. Others wait, bounded in number and time. */
export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits;
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #running = 0;

  constructor(limits: ConcurrencyLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Runs `task` when a slot is free; resolves to undefined if none is free in time. */
  async run<Value>(task: () => Promise<Value>): Promise<Value | undefined> {
    if (this.#running < this.#limits.maxRunning) this.#running += 1;
    else if (!(await this.#turn())) return undefined;
    try {
      return await task();
    } finally {
      this.#endTurn();
    }
  }

  /** Resolves to whether a slot became free in time. */
  #turn(): Promise<boolean> {
    const { maxWaiting, maxWaitMs } = this.#limits;
    if (this.#waiters.size >= maxWaiting) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiter: Waiter = (isTurn) => {
        cancel();
        this.#waiters.delete(waiter);
        resolve(isTurn);
      };
      const cancel = this.#clock.schedule(maxWaitMs, () => waiter(false));
      this.#waiters.add(waiter);
    });
  }

  /** Gives the slot to the waiter that has waited longest. */
  #endTurn(): void {
    const [next] = this.#waiters;
    if (next === undefined) this.#running -= 1;
    else next(true);
  }
}
