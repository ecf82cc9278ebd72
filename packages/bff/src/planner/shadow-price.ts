/** Calls kept at hand for readers who come, as a share of the window's: what is kept at hand is not spent. */
const STOCK_SHARE = 0.05;

/** The stock of a small window: enough to keep one for a reader, but of a tiny one no more than a tenth. */
const SMALL_STOCK = 3;
const SMALL_STOCK_SHARE = 0.1;

/** Less than this cannot be kept: a call would be lost between two ticks. */
const EMPTY_STOCK = 1.5;

/** How full the stock is to be: room for a lull, and a burst's worth at hand. */
const TARGET_STOCK = 0.5;

/** How fast the price follows the stock: e-fold in this many ms when the stock is empty. Slow, so that a lull is no sale. */
const PRICE_ADAPTS_IN_MS = 20_000;

/** Cheaper than this, in reader-ms, no call is sold: staleness nobody would notice. */
const MIN_PRICE = 100;

const MAX_PRICE = 1e12;

/** No price is more than this many times what the best call on offer is worth: where none could be spent, none had a price. */
const PRICE_ABOVE_BEST_OFFER = 8;

/** What the key may spend at the moment. */
export interface BudgetSnapshot {
  /** Calls that may leave now. */
  left: number;
  /** The most that `left` can be. @default capacity */
  maxLeft?: number;
  /** Calls that may leave in a window. */
  capacity: number;
}

/**
 * The even pace of the key's calls and their shadow price: one number, in reader-ms of staleness, that rises while
 * calls are short and falls while they are plentiful, so that what is worth it at that price is what can be paid.
 */
export class ShadowPrice {
  readonly #windowMs: number;
  readonly #usersWait: boolean;
  #tokens: BudgetSnapshot;
  /** Calls that the even pace has brought in, whether or not the key has them. */
  #smoothed: number;
  #price = MIN_PRICE;
  #at = -Infinity;

  constructor(windowMs: number, tokens: BudgetSnapshot, usersWait: boolean) {
    this.#windowMs = windowMs;
    this.#usersWait = usersWait;
    this.#tokens = tokens;
    this.#smoothed = this.#full;
  }

  /** Lets time pass: calls come in at an even pace, and the price follows the stock. */
  advanceTo(now: number, tokens = this.#tokens): void {
    const elapsedMs = this.#at === -Infinity ? 0 : Math.max(0, now - this.#at);
    this.#tokens = tokens;
    this.#at = Math.max(now, this.#at);
    this.#smoothed = Math.min(this.#full, this.#smoothed + (elapsedMs * tokens.capacity) / this.#windowMs);
    const pressure = (1 - this.#stock / (TARGET_STOCK * this.#full)) * Math.min(1, elapsedMs / PRICE_ADAPTS_IN_MS);
    this.#price = Math.min(MAX_PRICE, Math.max(MIN_PRICE, this.#price * Math.exp(pressure)));
  }

  /** Takes one call out of the stock. */
  spend(): void {
    this.#smoothed = Math.max(0, this.#smoothed - 1);
    this.#tokens = { ...this.#tokens, left: this.#tokens.left - 1 };
  }

  /** Records what the best call on offer is worth, in reader-ms. */
  recordOffer(refreshValue: number): void {
    this.#price = Math.max(MIN_PRICE, Math.min(this.#price, refreshValue * PRICE_ABOVE_BEST_OFFER));
  }

  /** What a call must buy at the moment, in reader-ms; next to nothing where no reader competes for it. */
  get perCall(): number {
    return this.#usersWait ? this.#price : MIN_PRICE;
  }

  /** Returns whether there is a call for a refresh by plan: the last one is kept for a reader who comes, where the stock allows. */
  get canSpendOnPlan(): boolean {
    return this.#stock >= (this.#full >= SMALL_STOCK ? 2 : 1);
  }

  /** Returns whether calls are so plentiful that saving one more is losing one. */
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
