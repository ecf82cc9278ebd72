/** Calls in stock for readers, as a share of the window's. */
const STOCK_SHARE = 0.05;

/** The stock of a small window: at least 3 calls, but no more than a tenth of a tiny one. */
const SMALL_STOCK = 3;
const SMALL_STOCK_SHARE = 0.1;

/** The smallest stock: with less, a call would be lost between two ticks. */
const EMPTY_STOCK = 1.5;

/** The target level, as a share of the stock: room for times with few readers, and calls for a burst. */
const TARGET_STOCK = 0.5;

/** The price grows e-fold in this many ms while the stock is empty. Slow, so that a short lull does not lower it. */
const PRICE_ADAPTS_IN_MS = 20_000;

/** The lowest price, in reader-ms: less staleness is not noticed. */
const MIN_PRICE = 100;

const MAX_PRICE = 1e12;

/** The price is at most this many times the value of the best refresh on offer. */
const PRICE_ABOVE_BEST_OFFER = 8;

/** What the key may spend now. */
export interface BudgetSnapshot {
  /** Calls that may be sent now. */
  left: number;
  /** The most that `left` can be. @default capacity */
  maxLeft?: number;
  /** Calls that may be sent in a window. */
  capacity: number;
}

/**
 * The shadow price of a call: the staleness, in reader-ms, that a call must save. It rises while the stock of calls is below its
 * target and falls while it is above, so that the refreshes worth the price are as many as the budget allows.
 */
export class ShadowPrice {
  readonly #windowMs: number;
  readonly #usersWait: boolean;
  #tokens: BudgetSnapshot;
  /** The stock as calls come in evenly, whether or not the budget has them. */
  #smoothed: number;
  #price = MIN_PRICE;
  #at = -Infinity;

  constructor(windowMs: number, tokens: BudgetSnapshot, usersWait: boolean) {
    this.#windowMs = windowMs;
    this.#usersWait = usersWait;
    this.#tokens = tokens;
    this.#smoothed = this.#full;
  }

  /** Advances the stock and the price to `now`. */
  advanceTo(now: number, tokens = this.#tokens): void {
    const elapsedMs = this.#at === -Infinity ? 0 : Math.max(0, now - this.#at);
    this.#tokens = tokens;
    this.#at = Math.max(now, this.#at);
    this.#smoothed = Math.min(this.#full, this.#smoothed + (elapsedMs * tokens.capacity) / this.#windowMs);
    const pressure = (1 - this.#stock / (TARGET_STOCK * this.#full)) * Math.min(1, elapsedMs / PRICE_ADAPTS_IN_MS);
    this.#price = Math.min(MAX_PRICE, Math.max(MIN_PRICE, this.#price * Math.exp(pressure)));
  }

  /** Removes one call from the stock. */
  spend(): void {
    this.#smoothed = Math.max(0, this.#smoothed - 1);
    this.#tokens = { ...this.#tokens, left: this.#tokens.left - 1 };
  }

  /** Records what the best call on offer is worth, in reader-ms. */
  recordOffer(refreshValue: number): void {
    this.#price = Math.max(MIN_PRICE, Math.min(this.#price, refreshValue * PRICE_ABOVE_BEST_OFFER));
  }

  /** The price of a call, in reader-ms; the lowest where readers never wait. */
  get perCall(): number {
    return this.#usersWait ? this.#price : MIN_PRICE;
  }

  /** The time in which one call becomes available, in ms. */
  get callEveryMs(): number {
    return this.#windowMs / Math.max(1, this.#tokens.capacity);
  }

  /** Returns whether a planned refresh may take a call: the last one is left for a reader, where the stock allows. */
  get canSpendOnPlan(): boolean {
    return this.#stock >= (this.#full >= SMALL_STOCK ? 2 : 1);
  }

  /** Returns whether the stock is full, so that a call that is not spent is lost. */
  get hasSurplus(): boolean {
    return this.#stock >= this.#full - 0.5;
  }

  get #stock(): number {
    return Math.min(this.#smoothed, this.#tokens.left);
  }

  get #full(): number {
    if (!this.#usersWait) return EMPTY_STOCK;
    const { capacity, maxLeft = capacity } = this.#tokens;
    const stock = Math.max(STOCK_SHARE * capacity, Math.min(SMALL_STOCK, SMALL_STOCK_SHARE * capacity), EMPTY_STOCK);
    return Math.min(maxLeft, stock);
  }
}
