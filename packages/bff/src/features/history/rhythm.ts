import type { Rhythm, UsualRhythm } from '@pulse-card/contract';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Completion times of the last 35 days are stored. */
const RECENT_MS = 35 * DAY_MS;

/** The last 21 completion times are stored regardless of their age. This results in 20 gaps. */
const KEPT_ANYWAY = 21;

/**
 * The maximum number of completion times. This limit matters only for sources that complete a run every few minutes.
 */
const MAX_TIMES = 1_000;

/** Completion times aren't stored for longer than this. */
const MAX_AGE_MS = 800 * DAY_MS;

/** When a source's runs were completed, in ms since the Unix epoch, oldest first and without duplicates. */
export type CompletionTimes = readonly number[];

/**
 * Adds completion times, which may be known already. Times that are too old are removed. Age is measured from the latest
 * run, so a source that has stopped keeps its usual interval.
 */
export function withCompletions(times: CompletionTimes, added: CompletionTimes): number[] {
  const sorted = [...new Set([...times, ...added])].toSorted((one, other) => one - other);
  const latest = sorted.at(-1) ?? 0;
  return sorted
    .filter((at, index) => at >= latest - RECENT_MS || index >= sorted.length - KEPT_ANYWAY)
    .filter((at) => at >= latest - MAX_AGE_MS)
    .slice(-MAX_TIMES);
}

/** The number of runs needed to determine a usual interval, and the time that they must span. */
const MIN_RUNS = 5;
const MIN_SPAN_MS = 8 * DAY_MS;

/** The usual interval is based on the last 20 gaps or the last 15 days, whichever is longer. */
const LAST_GAPS = 20;
const LAST_MS = 15 * DAY_MS;

/** A source is overdue once this multiple of its longest gap has passed. */
const GAPS_UNTIL_OVERDUE = 1.5;

/** If a gap is shorter than this, its two runs were on the same day. */
const MIN_PAUSE_MS = 9 * HOUR_MS;

/** The value for an unknown usual interval. */
export const NO_RHYTHM: Rhythm = { usual: null, overdueSince: null };

/**
 * A source's usual interval. `calledAtMs`: the time of the last successful call for the source, in ms since the Unix
 * epoch.
 */
export function rhythmOf(times: CompletionTimes, calledAtMs: number): Rhythm {
  const [first, latest] = [times.at(0), times.at(-1)];
  if (first === undefined || latest === undefined) return NO_RHYTHM;
  if (times.length < MIN_RUNS || latest - first < MIN_SPAN_MS) return NO_RHYTHM;
  const gaps = latestGaps(times, latest);
  const overdueAtMs = latest + GAPS_UNTIL_OVERDUE * Math.max(...gaps.map(({ ms }) => ms));
  return { usual: usualOf(gaps), overdueSince: calledAtMs > overdueAtMs ? new Date(overdueAtMs).toISOString() : null };
}

/** Time between two runs. */
type Gap = ReturnType<typeof latestGaps>[number];

function latestGaps(times: CompletionTimes, latest: number) {
  const gaps = times.slice(1).map((at, index) => ({ startsAtMs: times[index] ?? at, ms: at - (times[index] ?? at) }));
  return gaps.filter(({ startsAtMs }, index) => index >= gaps.length - LAST_GAPS || startsAtMs >= latest - LAST_MS);
}

function usualOf(gaps: readonly Gap[]): UsualRhythm | null {
  const median = gaps.map(({ ms }) => ms).toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0;
  if (median >= HOUR_MS / 2 && median <= 1.5 * HOUR_MS) return 'hourly';
  const pauses = gaps.filter(({ ms }) => ms >= MIN_PAUSE_MS);
  if (pauses.length < MIN_RUNS - 1) return null;
  const ofDays = (least: number, most: number) =>
    pauses.filter(({ ms }) => ms >= least * DAY_MS && ms <= most * DAY_MS);
  const share = (some: readonly Gap[]) => some.length / pauses.length;
  const oneDay = share(ofDays(0, 1.5));
  if (oneDay >= 0.9) return 'daily';
  if (oneDay >= 0.6 && areWeekends(ofDays(2, 3.5))) return 'weekdays';
  if (share(ofDays(6, 8)) >= 0.8) return 'weekly';
  return share(ofDays(27, 32)) >= 0.8 ? 'monthly' : null;
}

/** Returns whether most gaps start a whole number of weeks apart, as weekends do in every time zone. */
function areWeekends(gaps: readonly Gap[]): boolean {
  return gaps.some(({ startsAtMs: anchor }) => {
    const weekly = gaps.filter(({ startsAtMs }) => {
      const weeks = (startsAtMs - anchor) / (7 * DAY_MS);
      return Math.abs(weeks - Math.round(weeks)) < 1 / 14;
    });
    return weekly.length / gaps.length >= 0.8;
  });
}
