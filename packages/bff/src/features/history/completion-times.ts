const DAY_MS = 24 * 60 * 60_000;

/** Completion times of the last 35 days are stored. */
const RECENT_MS = 35 * DAY_MS;

/** The last 21 completion times are stored regardless of their age. They make 20 gaps. */
const KEPT_ANYWAY = 21;

/** The maximum number of completion times. This limit matters for a source that completes a run every few minutes. */
const MAX_TIMES = 1_000;

/** Completion times aren't stored for longer than this. */
const MAX_AGE_MS = 800 * DAY_MS;

/** When the runs of a source were completed, in ms since the Unix epoch, oldest first and without duplicates. */
export type CompletionTimes = readonly number[];

/**
 * Adds one time. Runs may arrive in any order, and repeatedly. Returns `times` itself if nothing changes. Times that
 * are too old are removed. Age is measured from the latest run, so a source that has stopped keeps its rhythm.
 */
export function withCompletion(times: CompletionTimes, completedAtMs: number): CompletionTimes {
  if (times.includes(completedAtMs)) return times;
  const sorted = [...times, completedAtMs].toSorted((one, other) => one - other);
  const latest = sorted.at(-1) ?? completedAtMs;
  return sorted
    .filter((at, index) => at >= latest - RECENT_MS || index >= sorted.length - KEPT_ANYWAY)
    .filter((at) => at >= latest - MAX_AGE_MS)
    .slice(-MAX_TIMES);
}
