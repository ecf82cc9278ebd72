import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import type { RateLog } from './rate-log.ts';

/** What a `WindowStore` needs beside its log. */
export interface WindowStoreOptions {
  limit: number;
  /** Unix time. */
  nowMs: () => number;
  /** Counts on where `log` fails, so that the limit and its headers outlive the database. */
  fallback: RateLog;
  onFailure: (error: unknown) => void;
}

/** A sliding log as express-rate-limit wants to see it. */
export class WindowStore implements Store {
  readonly localKeys = false;
  readonly #log: RateLog;
  readonly #options: WindowStoreOptions;

  constructor(log: RateLog, options: WindowStoreOptions) {
    this.#log = log;
    this.#options = options;
  }

  async increment(caller: string): Promise<ClientRateLimitInfo> {
    const { granted, used, resetInMs } = await this.#take(caller);
    return {
      // The library refuses what exceeds the limit; a refused call is not in the log.
      totalHits: granted ? used : this.#options.limit + 1,
      resetTime: new Date(Math.ceil(this.#options.nowMs() + resetInMs)),
    };
  }

  decrement(): never {
    throw new Error('Cannot take back a call: every call counts');
  }

  resetKey(): never {
    throw new Error('Cannot reset a window: every call counts');
  }

  async #take(caller: string) {
    try {
      return await this.#log.take(caller);
    } catch (error) {
      this.#options.onFailure(error);
      return this.#options.fallback.take(caller);
    }
  }
}
