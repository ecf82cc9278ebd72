/** A sequence of random numbers that depends only on a seed. */
export interface Random {
  /** A number uniformly distributed over [0, 1). */
  readonly even: () => number;
  /** The waiting time of a Poisson process with the given mean. */
  exponential(mean: number): number;
  /** A number between `low` and `high`, distributed logarithmically so that each doubling is equally likely. */
  logEven(low: number, high: number): number;
}

/** Generates random numbers from a seed (mulberry32, so that every machine gets the same numbers). */
export function randomFrom(seed: number): Random {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  const even = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    even,
    exponential: (mean) => -Math.log(1 - even()) * mean,
    logEven: (low, high) => low * (high / low) ** even(),
  };
}

/** Shuffles `items` in place. */
export function shuffle<Item>(items: Item[], random: Random): Item[] {
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random.even() * (last + 1));
    [items[last], items[other]] = [items[other]!, items[last]!];
  }
  return items;
}
