import { isDeepStrictEqual } from 'node:util';
import { idSchema, type ReadPulse } from '@pulse-card/contract';
import { z } from 'zod';
import { valueIn } from '../../lib/stored-text.ts';
import { withCompletions } from './rhythm.ts';

/** The maximum size of one source's runs, in bytes. */
const MAX_SOURCE_BYTES = 64 * 1024;

/** A completion time further in the future than this is wrong and would hide all correct ones. */
const MAX_AHEAD_MS = 24 * 60 * 60_000;

/** Runs aren't stored for longer than this. */
const MAX_AGE_MS = 400 * 24 * 60 * 60_000;

const runSchema = z.object({
  jobRunId: idSchema,
  completedAt: z.iso.datetime().nullable(),
  /** When this BFF received the run for the first time. */
  firstSeenAt: z.iso.datetime(),
  aiSummaryShort: z.string().nullable(),
  /** The URL that the service returned. */
  imageUrl: z.string().nullable(),
});

/** A run in its stored form. */
export type KeptRun = Readonly<z.infer<typeof runSchema>>;

const historySchema = z.object({
  version: z.literal(1),
  /** Identifies the account that the source belongs to. */
  account: z.string(),
  times: z.array(z.number()),
  /** Newest first. */
  runs: z.array(runSchema),
});

/** The data that is stored about a source. */
export type SourceHistory = z.infer<typeof historySchema>;

/** The limits for a history. */
export interface HistoryLimits {
  readonly maxRuns: number;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** A history without any runs. */
export function emptyHistory(account: string): SourceHistory {
  return { version: 1, account, times: [], runs: [] };
}

/** Returns the history with `pulse` added. Returns `history` itself if nothing changes. */
export function withPulse(history: SourceHistory, pulse: ReadPulse, limits: HistoryLimits): SourceHistory {
  const { jobRunId, completedAt, aiSummaryShort, imageUrl } = pulse;
  const completedAtMs = Date.parse(completedAt ?? '');
  const times = completedAtMs <= limits.nowMs + MAX_AHEAD_MS ? [completedAtMs] : [];
  const before = history.runs.find((run) => run.jobRunId === jobRunId);
  const firstSeenAt = before?.firstSeenAt ?? new Date(limits.nowMs).toISOString();
  const runs = [{ jobRunId, completedAt, firstSeenAt, aiSummaryShort, imageUrl }];
  const changed = mergedHistory({ ...history, times, runs }, history, limits);
  return isDeepStrictEqual(changed, history) ? history : changed;
}

/** Merges both histories. If both contain a run, `newer` has its latest text. */
export function mergedHistory(newer: SourceHistory, older: SourceHistory, limits: HistoryLimits): SourceHistory {
  if (newer.account !== older.account) return newer;
  const known = new Set(newer.runs.map(({ jobRunId }) => jobRunId));
  const runs = [...newer.runs, ...older.runs.filter(({ jobRunId }) => !known.has(jobRunId))];
  return { ...newer, times: withCompletions(older.times, newer.times), runs: withinLimits(runs, limits) };
}

/** Returns the newest runs that the limits allow, newest first. */
function withinLimits(runs: readonly KeptRun[], { maxRuns, nowMs }: HistoryLimits): KeptRun[] {
  const sorted = runs
    .filter(({ firstSeenAt }) => Date.parse(firstSeenAt) > nowMs - MAX_AGE_MS)
    .toSorted((one, other) => timeOf(other) - timeOf(one))
    .slice(0, maxRuns);
  let bytes = 0;
  return sorted.filter((run) => (bytes += Buffer.byteLength(JSON.stringify(run))) <= MAX_SOURCE_BYTES);
}

function timeOf({ completedAt, firstSeenAt }: KeptRun): number {
  return Date.parse(completedAt ?? firstSeenAt);
}

/** Reads the history from its stored text. Returns undefined if nothing is stored, or if the text can't be read. */
export function historyIn(text: string | undefined): SourceHistory | undefined {
  return valueIn(historySchema, text);
}

/** A stored run, as a pulse of its source. The analysis and link of the latest pulse don't belong to the run. */
export function pulseOf(run: KeptRun, { pulse }: { readonly pulse: ReadPulse }): ReadPulse {
  return { ...pulse, ...run, aiSummaryLong: null, deliveryLink: null };
}
