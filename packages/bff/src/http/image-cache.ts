import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { FetchImage, ImageFailure, ImageOutcome } from './image-proxy.ts';

/** Capacity. The chart of a run never changes, so that it never expires. */
const CAPACITY = { max: 64, bytes: 32 * 1024 * 1024 };

/** Charts that are fetched at once, each of 5 MiB at most. Others wait: a page may show fifty charts. */
const LIMITS = { maxRunning: 16, maxWaiting: 200, maxWaitMs: 10_000 };

/** How long a failure is cached, and how many are. */
const FAILURE_TTL_MS = 5_000;
const MAX_FAILURES = 1_000;

/** What the store needs. */
export interface ImageCacheOptions {
  readonly fetchImage: FetchImage;
  readonly clock: Clock;
}

/** Caches charts. Concurrent requests share one fetch, which no reader can slow down. */
export class ImageCache {
  readonly #parts: ImageCacheOptions;
  readonly #cached = new LRUCache<string, Buffer>({
    max: CAPACITY.max,
    maxSize: CAPACITY.bytes,
    sizeCalculation: (bytes) => Math.max(1, bytes.length),
  });
  readonly #failures = new LRUCache<string, { readonly code: ImageFailure; readonly until: number }>({
    max: MAX_FAILURES,
  });
  readonly #underWay = new Map<string, Promise<ImageOutcome>>();

  readonly #limiter: ConcurrencyLimiter;

  constructor(parts: ImageCacheOptions) {
    this.#parts = parts;
    this.#limiter = new ConcurrencyLimiter(LIMITS, parts.clock);
  }

  /** The chart of `run` at `address`; a failure lasts for five seconds. */
  read(run: string, address: URL): Promise<ImageOutcome> {
    const name = `${run} ${address.href}`;
    const cached = this.#cached.get(name);
    if (cached !== undefined) return Promise.resolve({ ok: true, bytes: cached });
    const failure = this.#failures.get(name);
    if (failure !== undefined && this.#parts.clock.now() < failure.until)
      return Promise.resolve({ ok: false, code: failure.code });
    return this.#underWay.get(name) ?? this.#fetch(name, address);
  }

  #fetch(name: string, address: URL): Promise<ImageOutcome> {
    const { fetchImage, clock } = this.#parts;
    const fetched = this.#limiter
      .run(() => fetchImage(address))
      .then((outcome) => {
        this.#underWay.delete(name);
        if (outcome?.ok) this.#cached.set(name, outcome.bytes);
        else if (outcome) this.#failures.set(name, { code: outcome.code, until: clock.now() + FAILURE_TTL_MS });
        return outcome ?? NO_TURN;
      });
    this.#underWay.set(name, fetched);
    return fetched;
  }
}

/** Too many other charts are being fetched; this one is not remembered as a failure. */
const NO_TURN: ImageOutcome = { ok: false, code: 'upstream_unavailable' };

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
