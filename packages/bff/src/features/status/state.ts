import type { ReadPulse } from '@pulse-card/contract';
import type { Base } from '../../config.ts';
import { originAdvice } from '../../http/origins.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Problem } from '../../lib/problem.ts';
import { packageVersion } from '../../lib/package-version.ts';
import type { Answers } from '../../pulses/answers.ts';
import type { Pulses } from '../../pulses/pulses.ts';
import type { Counters } from './counters.ts';
import { budgetFacts, chartsLastMs, failingOf, inOrder, sourceRow } from './facts.ts';
import { failureWords } from './failure-words.ts';

/** The parts whose state the status shows. */
export interface StatusParts extends Base {
  readonly answers: Answers;
  readonly pulses: Pulses;
  /** The hosts whose charts readers aren't getting. */
  readonly refused: (pulses: ReadPulse[]) => { host: string; reason: string; charts: number }[];
  readonly history: { overdue(): readonly string[] };
  readonly withheld: { isWritable: boolean; fault: string | undefined; runs: readonly string[] } | undefined;
  readonly alerts: {
    status(): { host: string | null; sent: number; failure: string | null };
    look(problems: readonly Problem[], facts: { readonly hasAnswered: boolean }): Promise<void>;
  };
  readonly keyExpiry: {
    current(): { day: string; inDays: number; isGuess: boolean } | undefined;
    note(): Promise<void>;
  };
  readonly isStopping: () => boolean;
  /** Whether the process serves only the BFF. */
  readonly ownsProcess: boolean;
}

export type State = ReturnType<typeof readState>;

/**
 * Everything that the BFF knows about itself. Durations are in ms. `counted`: what readers got. `calls`: the calls in
 * the window, over the last 30 minutes, oldest first.
 */
export function readState(
  parts: StatusParts,
  counted: ReturnType<Counters['counts']>,
  { uptimeMs, calls }: { uptimeMs: number; calls: readonly { at: string; spent: number }[] },
) {
  const { config, clock, log, answers, pulses, isStopping, ...features } = parts;
  const { refused, history, withheld, alerts, keyExpiry } = features;
  const { sources: known, ...ofPulses } = pulses.status();
  const { hosts, limitedForMs, budget, ...ofUpstream } = answers.upstream.status();
  const { redis = null, stateDirFault } = answers.status();
  const { refusals, ...counts } = counted;
  const sources = known.map(sourceRow);
  const overdue = history.overdue();
  const shown = pulses.ids.all.flatMap((id) => pulses.peek(id)?.value.pulse ?? []);
  const latestRuns = Object.fromEntries(shown.map(({ sourceId, jobRunId }) => [sourceId, jobRunId]));
  return {
    /** The version of `@pulse-card/bff`. */
    version: packageVersion(),
    /** ISO 8601. */
    at: isoAt(clock, clock.now()),
    uptimeMs,
    stopping: isStopping(),
    ...ofPulses,
    ...ofUpstream,
    ...counts,
    /** Null if Redis isn't used. */
    redis,
    /** The error code from the last write to `PULSE_STATE_DIR`, such as `ENOSPC`; null if it succeeded. */
    stateDirFault,
    /** The state of `PULSE_API_KEY_FILE`, if it is set. */
    keyFile: answers.key.status(),
    /**
     * The expiration date in UTC, the number of days until then, and whether the date is an estimate. Null if it isn't
     * known.
     */
    keyExpiry: keyExpiry.current() ?? null,
    /** `lastAnswerAt` is the time of the last response as ISO 8601. */
    hosts: hosts.map(({ lastAnswerAt: at, ...host }) => ({
      ...host,
      lastAnswerAt: at === undefined ? null : isoAt(clock, at),
    })),
    /** The calls in the window. `spent`, `reserved`, `free`, `earlier`, and `others` add up to `limit`. */
    budget: { ...budgetFacts(budget), history: calls },
    /** Sources with a problem come first, then those with the most views. */
    sources: inOrder(sources, overdue),
    /** The failure if every call fails; null if any call succeeds. */
    failing:
      limitedForMs === undefined
        ? failingOf(ofPulses.list, known)
        : { code: 'rate_limited' as const, forMs: limitedForMs, retryInMs: budget.pausedForMs },
    /** How long cached charts can still be shown without a new response, in ms; 0 if no charts are cached. */
    chartsLastMs: chartsLastMs(sources),
    /** The sources that would usually have a new run by now. */
    overdue,
    /** The hosts whose charts readers aren't getting. */
    refusedCharts: refused(shown),
    /** Only with `PULSE_WITHHELD_FILE`. `latestRuns`: the run that readers see, by source. */
    withheld: withheld && {
      /** Whether the status page can withhold and restore text. */
      isWritable: withheld.isWritable,
      fault: withheld.fault ?? null,
      /** The runs whose text is withheld, in file order. */
      runs: withheld.runs,
      latestRuns,
    },
    /** The webhook's host (null if none is configured), how many messages arrived, and why the last one didn't. */
    alerts: alerts.status(),
    /** Whether log lines are being lost because standard output can't be written to. */
    logLost: log.isLost(),
    /** Notes for the operator about the configuration. */
    warnings: config.warnings,
    /** The rejected requests since startup, by code and origin. */
    refusals: countsByCode(refusals),
    /** The rejected requests since startup, with advice. The most frequent ones come first. */
    turnedAway: refusals.map((refusal) => ({ ...refusal, ...causeOf(refusal) })),
  };
}

/** A time on the monotonic clock, as ISO 8601. */
export function isoAt(clock: Clock, at: number): string {
  return new Date(clock.wallNow() - (clock.now() - at)).toISOString();
}

type Refusal = ReturnType<Counters['counts']>['refusals'][number];

function countsByCode(refusals: readonly Refusal[]): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const { code, origin, count } of refusals) (counts[code] ??= {})[origin] = count;
  return counts;
}

/** Why a request was rejected, and what to do about it. */
function causeOf({ code, origin, sourceId }: Refusal) {
  const [words, advice] = failureWords({ code: code === 'rate_limited' ? 'client_limit' : code, detail: sourceId });
  return { words, advice: code === 'origin_forbidden' ? `${originAdvice(origin)}.` : advice };
}
