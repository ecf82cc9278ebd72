/** Calls kept at hand for readers who come, as a share of the window's: what is kept at hand is not spent. */
const STOCK_SHARE = 0.05;

/** The stock of a small window: enough to keep one for a reader, but of a tiny one no more than a tenth. */
const SMALL_STOCK = 3;
const SMALL_STOCK_SHARE = 0.1;

/** Less than this cannot be kept: a call would be lost between two ticks. */
const NO_STOCK = 1.5;

/** How full the stock is to be: room for a lull, and a burst's worth at hand. */
const TARGET = 0.5;

/** How fast the price follows the stock: e-fold in this many ms when the stock is empty. Slow, so that a lull is no sale. */
const FOLLOWS_IN_MS = 20_000;

/** Cheaper than this, in reader-ms, no call is sold: staleness nobody would notice. */
const LOWEST_PRICE = 100;

const HIGHEST_PRICE = 1e12;

/** No price is more than this many times what the best call on offer is worth: where none could be spent, none had a price. */
const BEYOND_ALL_OFFERS = 8;

/** What the key may spend at the moment. */
export interface Tokens {
  /** Calls that may leave now. */
  left: number;
  /** The most that `left` can be. @default capacity */
  leftAtMost?: number;
  /** Calls that may leave in a window. */
  capacity: number;
}

/**
 * The even pace of the key's calls and their going price: one number, in reader-ms of staleness, that rises while
 * calls are short and falls while they are plentiful, so that what is worth it at that price is what can be paid.
 */
export class GoingPrice {
  readonly #windowMs: number;
  readonly #readersWait: boolean;
  #tokens: Tokens;
  /** Calls that the even pace has brought in, whether or not the key has them. */
  #paced: number;
  #price = LOWEST_PRICE;
  #at = -Infinity;

  constructor(windowMs: number, tokens: Tokens, readersWait: boolean) {
    this.#windowMs = windowMs;
    this.#readersWait = readersWait;
    this.#tokens = tokens;
    this.#paced = this.#full;
  }

  /** Lets time pass: calls come in at an even pace, and the price follows the stock. */
  passTo(now: number, tokens = this.#tokens): void {
    const elapsedMs = this.#at === -Infinity ? 0 : Math.max(0, now - this.#at);
    this.#tokens = tokens;
    this.#at = Math.max(now, this.#at);
    this.#paced = Math.min(this.#full, this.#paced + (elapsedMs * tokens.capacity) / this.#windowMs);
    const pressure = (1 - this.#stock / (TARGET * this.#full)) * Math.min(1, elapsedMs / FOLLOWS_IN_MS);
    this.#price = Math.min(HIGHEST_PRICE, Math.max(LOWEST_PRICE, this.#price * Math.exp(pressure)));
  }

  /** Takes one call out of the stock. */
  spend(): void {
    this.#paced = Math.max(0, this.#paced - 1);
    this.#tokens = { ...this.#tokens, left: this.#tokens.left - 1 };
  }

  /** Takes in what the best call on offer is worth, in reader-ms. */
  offered(worth: number): void {
    this.#price = Math.max(LOWEST_PRICE, Math.min(this.#price, worth * BEYOND_ALL_OFFERS));
  }

  /** What a call must buy at the moment, in reader-ms; next to nothing where no reader competes for it. */
  get perCall(): number {
    return this.#readersWait ? this.#price : LOWEST_PRICE;
  }

  /** Says whether there is a call for a refresh by plan: the last one is kept for a reader who comes, where the stock allows. */
  get hasForPlan(): boolean {
    return this.#stock >= (this.#full >= SMALL_STOCK ? 2 : 1);
  }

  /** Says whether calls are so plentiful that saving one more is losing one. */
  get isPlentiful(): boolean {
    return this.#stock >= this.#full - 0.5;
  }

  get #stock(): number {
    return Math.min(this.#paced, this.#tokens.left);
  }

  get #full(): number {
    if (!this.#readersWait) return NO_STOCK;
    const { capacity, leftAtMost = capacity } = this.#tokens;
    const stock = Math.max(STOCK_SHARE * capacity, Math.min(SMALL_STOCK, SMALL_STOCK_SHARE * capacity), NO_STOCK);
    return Math.min(leftAtMost, stock);
  }
}
