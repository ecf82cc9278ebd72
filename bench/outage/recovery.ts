import type { Arrival } from '../upstream/arrival.ts';

/** How soon after its return the service was asked again, in ms. */
export interface Recovery {
  /** Until it gave its first good answer about a pulse. */
  readonly firstGoodMs: number | undefined;
  /** Until it had given one for every source; undefined where that did not happen. */
  readonly allGoodMs: number | undefined;
}

/** Reads from the service's record how it was asked after `upNs`. */
export function recoveryAfter(upNs: number, arrivals: readonly Arrival[], ids: readonly string[]): Recovery {
  const good = arrivals.filter(({ atNs, status, path }) => atNs >= upNs && status === 200 && path?.endsWith('/pulse'));
  const firsts = ids.map((id) => good.find(({ path }) => path?.includes(`/${id}/`))?.atNs);
  const msSince = (atNs: number | undefined) => (atNs === undefined ? undefined : (atNs - upNs) / 1e6);
  const isComplete = firsts.every((atNs) => atNs !== undefined);
  return { firstGoodMs: msSince(good[0]?.atNs), allGoodMs: isComplete ? msSince(Math.max(...firsts)) : undefined };
}
