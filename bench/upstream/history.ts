import type { Arrival, HostName } from './arrival.ts';

/** Most moments that fall into any half-open window `[t, t + windowNs)`. The moments may come in any order. */
export function mostInWindow(momentsNs: readonly number[], windowNs: number): number {
  const sorted = momentsNs.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [last, moment] of sorted.entries()) {
    while (moment - sorted[first]! >= windowNs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
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
 * How often the host that takes the calls changed. The host of a slot of `slotNs` is the one with most arrivals in it, so
 * a lone probe at the other host is no change; slots without arrivals, or with as many at both, change nothing.
 */
export function hostSwitches(arrivals: readonly Arrival[], slotNs: number): number {
  const balance = new Map<number, number>();
  for (const { atNs, host } of arrivals) {
    const slot = Math.floor(atNs / slotNs);
    balance.set(slot, (balance.get(slot) ?? 0) + (host === 'A' ? 1 : -1));
  }
  const hosts: HostName[] = [...balance.entries()]
    .toSorted(([a], [b]) => a - b)
    .filter(([, more]) => more !== 0)
    .map(([, more]) => (more > 0 ? 'A' : 'B'));
  return hosts.filter((host, index) => index > 0 && host !== hosts[index - 1]).length;
}
