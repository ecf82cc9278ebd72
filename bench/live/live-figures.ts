import type { Said } from './readers.ts';

/** How a change reached its readers, in ms. */
export interface Delivery {
  readonly run: string;
  readonly readers: number;
  /** From the change at the service to the first reader: how long it took to be noticed. */
  readonly toFirstMs: number;
  /** From the first reader to the last: how long it took to be told. */
  readonly spreadMs: number;
  /** From the change to the last reader. */
  readonly toLastMs: number;
}

/** How the changes came that at least `least` readers were told of. */
export function deliveriesIn({ runs }: Said, min: number): Delivery[] {
  return runs
    .filter(({ atMs }) => atMs.length >= min)
    .map(({ run, changedAtMs, atMs }) => {
      const [first, last] = [Math.min(...atMs), Math.max(...atMs)];
      return {
        run,
        readers: atMs.length,
        toFirstMs: first - changedAtMs,
        spreadMs: last - first,
        toLastMs: last - changedAtMs,
      };
    });
}

/** The middle, the 99th percentile and the largest of some numbers. */
export function spreadOf(numbers: readonly number[]): { medianMs: number; p99Ms: number; maxMs: number } {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { medianMs: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

/** How many fell into each whole second after `sinceMs`. */
export function histogramOf(atMs: readonly number[], sinceMs: number): number[] {
  const counts: number[] = [];
  for (const at of atMs) {
    const second = Math.max(0, Math.floor((at - sinceMs) / 1_000));
    counts[second] = (counts[second] ?? 0) + 1;
  }
  return Array.from(counts, (count) => count ?? 0);
}
