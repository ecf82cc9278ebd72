/** Calls that may be saved up for readers who come, beyond the even pace. */
const PURSE = 8;

/** How full the purse is to be kept: room for a burst, and a burst's worth at hand. */
const TARGET = 0.6;

/** How fast the price follows the purse, per second and call off the target. */
const FOLLOWING = 0.04;

/** How much of a price is the last bargain. */
const BARGAIN = 0.02;

/** Cheaper than this, in reader-ms, no call is sold: staleness nobody would notice. */
export const LOWEST_PRICE = 100;

const HIGHEST_PRICE = 1e12;

/** The even pace of the key's calls, and what a call is worth at the moment. */
export interface Market {
  /** Calls at hand. */
  readonly purse: number;
  /** What a call must buy, in reader-ms of staleness. */
  readonly price: number;
  /** When this was right, in ms. */
  readonly at: number;
}

/** A market with a full purse, where calls are cheap. */
export function openMarket(now: number): Market {
  return { purse: PURSE, price: LOWEST_PRICE, at: now };
}

/** Lets time pass: calls come in at `callsPerMs`, and the price follows the purse. */
export function marketAt(market: Market, now: number, callsPerMs: number): Market {
  const elapsedMs = now - market.at;
  if (elapsedMs <= 0) return market;
  const purse = Math.min(PURSE, market.purse + elapsedMs * callsPerMs);
  const pressure = FOLLOWING * (TARGET * PURSE - purse) * (Math.min(elapsedMs, 5_000) / 1_000);
  return { purse, price: clampPrice(market.price * Math.exp(pressure)), at: now };
}

/** Takes one call out of the purse. */
export function withSpending(market: Market): Market {
  return { ...market, purse: Math.max(0, market.purse - 1) };
}

/** Moves the price towards what the last call was worth. */
export function withBargain(market: Market, worth: number): Market {
  return { ...market, price: clampPrice(market.price + BARGAIN * (Math.min(worth, HIGHEST_PRICE) - market.price)) };
}

/** Says whether calls are so plentiful that saving one more is losing one. */
export function isPlentiful(market: Market): boolean {
  return market.purse >= PURSE - 0.5;
}

function clampPrice(price: number): number {
  return Math.min(HIGHEST_PRICE, Math.max(LOWEST_PRICE, price));
}
