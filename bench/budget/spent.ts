import { type VisitFigures, visitFigures } from '../load/visit-figures.ts';
import type { Visit } from '../load/visits.ts';
import type { Arrival } from '../upstream/arrival.ts';
import { meanPerWindow, maxInWindow } from '../upstream/history.ts';
import { OTHER_PATH } from './other-user.ts';

/** Calls that the spec lets a key make in a window, and those the BFF leaves to others by default. */
export const LIMIT = 60;
export const RESERVE = 15;

/** The spec's window. */
const WINDOW_NS = 60_000_000_000;

/** What was spent, and what visitors had of it. */
export interface Spent {
  readonly title: string;
  /** Calls of the BFF, answered or not. */
  readonly calls: number;
  /** Most of them in any half-open minute. */
  readonly maxInWindow: number;
  /** Calls a window on average, from the second window on. */
  readonly perWindow: number;
  /** Of what may be spent: the limit without the reserve. */
  readonly shareUsed: number;
  /** Calls of the BFF that were refused for being too many. */
  readonly refused: number;
  /** Calls of another user of the key, and those of them that were refused. */
  readonly others: number;
  readonly othersRefused: number;
  readonly kills: number;
  readonly visits: VisitFigures;
}

/** What a run left behind. */
export interface SpentRecord {
  readonly title: string;
  readonly arrivals: readonly Arrival[];
  readonly seen: readonly Visit[];
  readonly fromNs: number;
  readonly toNs: number;
  readonly killedAtNs: readonly number[];
  /** Whether what was known outlived the kills. */
  readonly remembers: boolean;
}

/** Sums a run up. */
export function spentIn({ title, arrivals, seen, fromNs, toNs, killedAtNs, remembers }: SpentRecord): Spent {
  const ours = arrivals.filter(({ path }) => path !== OTHER_PATH);
  const others = arrivals.filter(({ path }) => path === OTHER_PATH);
  const perWindow = toNs - fromNs > WINDOW_NS ? meanPerWindow(ours, fromNs + WINDOW_NS, toNs, WINDOW_NS) : 0;
  const refusedOf = (calls: readonly Arrival[]) => calls.filter(({ status }) => status === 429).length;
  return {
    title,
    calls: ours.length,
    maxInWindow: maxInWindow(
      ours.map(({ atNs }) => atNs),
      WINDOW_NS,
    ),
    perWindow,
    shareUsed: perWindow / (LIMIT - RESERVE),
    refused: refusedOf(ours),
    others: others.length,
    othersRefused: refusedOf(others),
    kills: killedAtNs.length,
    visits: visitFigures(seen, { lostAtNs: remembers ? [] : killedAtNs }),
  };
}
