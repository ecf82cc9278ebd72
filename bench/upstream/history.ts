import type { Arrival, HostName } from './arrival.ts';

/** Most moments that fall into any half-open window `[t, t + windowNs)`. The moments may come in any order. */
export function maxInWindow(momentsNs: readonly number[], windowNs: number): number {
  const sorted = momentsNs.toSorted((a, b) => a - b);
  let first = 0;
  let max = 0;
  for (const [last, moment] of sorted.entries()) {
    while (moment - sorted[first]! >= windowNs) first += 1;
    max = Math.max(max, last - first + 1);
  }
  return max;
}

/** The arrivals in `[fromNs, toNs)`. */
export function arrivalsBetween(arrivals: readonly Arrival[], fromNs: number, toNs: number): Arrival[] {
  return arrivals.filter(({ atNs }) => atNs >= fromNs && atNs < toNs);
}

/** Calls per window, on average over `[fromNs, toNs)`. */
export function meanPerWindow(arrivals: readonly Arrival[], fromNs: number, toNs: number, windowNs: number): number {
  return (arrivalsBetween(arrivals, fromNs, toNs).length * windowNs) / (toNs - fromNs);
}

/**
 * How often the host that takes the calls changed. Two calls in a row at the other host make a change; a lone one is a
 * probe.
 */
export function hostSwitches(arrivals: readonly Arrival[]): number {
  let [taking, before]: (HostName | undefined)[] = [arrivals[0]?.host, undefined];
  let switches = 0;
  for (const { host } of arrivals) {
    if (host !== taking && host === before) [taking, switches] = [host, switches + 1];
    before = host;
  }
  return switches;
}
