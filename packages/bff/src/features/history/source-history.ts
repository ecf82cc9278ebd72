import { isDeepStrictEqual } from 'node:util';
import { idSchema, type ReadPulse } from '@pulse-card/contract';
import { z } from 'zod';
import type { SourceSnapshot } from '../../pulses/pulses.ts';
import { type CompletionTimes, withCompletion } from './rhythm.ts';

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
  runs: z.array(runSchema),
});

/** The data that is stored about a source. */
export interface SourceHistory {
  readonly account: string;
  readonly times: CompletionTimes;
  /** Newest first. */
  readonly runs: readonly KeptRun[];
}

/** The limits for a history. */
export interface HistoryLimits {
  readonly maxRuns: number;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** Returns the history with `pulse` added. Returns `history` itself if nothing changes. */
export function withPulse(history: SourceHistory, pulse: ReadPulse, limits: HistoryLimits): SourceHistory {
  const { completedAt } = pulse;
  const completedAtMs = Date.parse(completedAt ?? '');
  const isPossible = completedAtMs <= limits.nowMs + MAX_AHEAD_MS;
  const times = isPossible ? withCompletion(history.times, completedAtMs) : history.times;
  const runs = withRun(history.runs, pulse, limits);
  return times === history.times && runs === history.runs ? history : { ...history, times, runs };
}

/** Merges both histories, because instances that share a store may have seen different runs. */
export function mergedHistory(one: SourceHistory, other: SourceHistory, limits: HistoryLimits): SourceHistory {
  if (one.account !== other.account) return one;
  const known = new Set(one.runs.map(({ jobRunId }) => jobRunId));
  const runs = [...one.runs, ...other.runs.filter(({ jobRunId }) => !known.has(jobRunId))];
  const times = other.times.reduce<CompletionTimes>(withCompletion, one.times);
  return { account: one.account, times, runs: withinLimits(runs, limits) };
}

function withRun(runs: readonly KeptRun[], pulse: ReadPulse, limits: HistoryLimits): readonly KeptRun[] {
  if (limits.maxRuns === 0) return runs.length === 0 ? runs : [];
  const { jobRunId, completedAt, aiSummaryShort, imageUrl } = pulse;
  const before = runs.find((run) => run.jobRunId === jobRunId);
  const firstSeenAt = before?.firstSeenAt ?? new Date(limits.nowMs).toISOString();
  const run = { jobRunId, completedAt, firstSeenAt, aiSummaryShort, imageUrl };
  if (!isDeepStrictEqual(run, before)) return withinLimits([run, ...runs.filter((each) => each !== before)], limits);
  const kept = withinLimits(runs, limits);
  return kept.length === runs.length ? runs : kept;
}

/** Returns the newest runs that the limits allow, newest first. */
function withinLimits(runs: readonly KeptRun[], { maxRuns, nowMs }: HistoryLimits): readonly KeptRun[] {
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
  try {
    const { account, times, runs } = historySchema.parse(JSON.parse(text ?? ''));
    return { account, times, runs };
  } catch {
    return undefined;
  }
}

export function textOf(history: SourceHistory): string {
  return JSON.stringify({ version: 1, ...history });
}

/** The run fields that aren't stored. */
const NOT_KEPT = {
  aiSummaryLong: null,
  deliveryLink: null,
  organizationId: null,
  organizationName: null,
  organizationSlug: null,
} as const;

/** A stored run, as a pulse of its source. */
export function pulseOf(run: KeptRun, { sourceId, pulse, source }: SourceSnapshot): ReadPulse {
  const { jobRunId, completedAt, aiSummaryShort, imageUrl } = run;
  const sourceName = pulse?.sourceName ?? source?.name ?? null;
  return { ...NOT_KEPT, jobRunId, sourceId, sourceName, status: 'SUCCESS', completedAt, imageUrl, aiSummaryShort };
}
