import { errorCodeSchema, type ReadPulse } from '@pulse-card/contract';
import type { Config } from '../../config.ts';
import { originAdvice } from '../../http/origins.ts';
import type { RequestRecord } from '../../http/locals.ts';
import type { NotReady } from '../../http/routes/health.ts';
import { type Clock, processStartedMs, repeat } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { packageVersion } from '../../lib/package-version.ts';
import { topicOf } from '../../lib/problem.ts';
import type { Answers } from '../../pulses/answers.ts';
import type { Pulses } from '../../pulses/pulses.ts';
import { Counters } from './counters.ts';
import { budgetFacts, chartsLastMs, failingOf, inOrder, sourceRow, summaryOf } from './facts.ts';
import { failureWords } from './failure-words.ts';
import { problemsOf } from './problems.ts';

/** The time between two checks for problems, in ms. */
const LOOK_EVERY_MS = 5_000;

/** The calls of the last 30 minutes are stored, with one point every 15 seconds. */
const HISTORY = { everyMs: 15_000, points: 121 };

/** Problems that end without any action. The status shows them, but the log doesn't. */
const PASSING: ReadonlySet<string> = new Set(['stopping', 'starting']);

/** The parts whose state the status shows. */
export interface StatusParts {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly answers: Answers;
  readonly pulses: Pulses;
  /** The hosts of charts that readers don't get. */
  readonly refused: (
    pulses: ReadPulse[],
  ) => { readonly host: string; readonly reason: string; readonly charts: number }[];
  readonly history: { overdue(): readonly string[] };
  readonly withheld:
    | { isWritable: boolean; fault: 'missing' | 'unreadable' | undefined; runs: readonly string[] }
    | undefined;
  readonly alerts: {
    status(): { readonly host: string | null; readonly sent: number; readonly failure: string | null };
  };
  readonly keyExpiry: {
    current(): { readonly day: string; readonly inDays: number; readonly isGuess: boolean } | undefined;
    note(): Promise<void>;
  };
  readonly isStopping: () => boolean;
  /** Whether the process serves only the BFF. */
  readonly ownsProcess: boolean;
}

/** Everything that the BFF knows about itself. Durations are in ms. */
export type State = ReturnType<Status['state']>;

/** The response of `GET /status`. */
export interface StatusDocument extends ReturnType<Status['document']> {}

/** What the operator can know: the state, its problems, and what readers got. */
export class Status {
  readonly #parts: StatusParts;
  readonly #counters: Counters;
  readonly #startedAt: number;
  readonly #history: { at: string; spent: number }[] = [];
  readonly #logged = new Map<string, string>();
  readonly #ends: (() => void)[] = [];
  #isBehindUnknownProxy = false;

  constructor(parts: StatusParts) {
    const { clock, pulses, ownsProcess } = parts;
    this.#parts = parts;
    this.#startedAt = ownsProcess ? processStartedMs : clock.now();
    this.#counters = new Counters({ clock, isKnown: (id) => pulses.isKnown(id), isReady: () => pulses.isReady() });
  }

  start(): void {
    const { clock } = this.#parts;
    this.#point();
    this.#ends.push(
      repeat(clock, HISTORY.everyMs, () => this.#point()),
      repeat(clock, LOOK_EVERY_MS, () => this.#look()),
    );
  }

  close(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  readonly record = (record: RequestRecord): void => {
    this.#counters.record(record);
    this.#isBehindUnknownProxy ||= record.isUntrustedProxy;
  };

  problems() {
    return problemsOf(this.state());
  }

  /** Why this instance shouldn't get traffic; undefined if it should. */
  whyNotReady(): NotReady | undefined {
    const { pulses, isStopping } = this.#parts;
    if (pulses.isReady() && !isStopping()) return undefined;
    const [first] = this.problems();
    const code = errorCodeSchema.safeParse(first?.code).data ?? 'upstream_unavailable';
    return { code, reason: first?.headline ?? 'There is nothing to serve.' };
  }

  document() {
    const state = this.state();
    const problems = problemsOf(state);
    return {
      /** The most serious problem, or that everything works. */
      summary: summaryOf(problems, state),
      /** All current problems, with the most serious ones first. */
      problems,
      /** The codes of `problems`, without notices. */
      degraded: problems.filter(({ level }) => level !== 'notice').map(({ code }) => code),
      ...state,
    };
  }

  /** The document as JSON, with durations in whole milliseconds. */
  json(): string {
    const whole = (name: string, value: unknown) =>
      typeof value === 'number' && name.endsWith('Ms') ? Math.round(value) : value;
    return JSON.stringify(this.document(), whole, 2);
  }

  state() {
    const { config, clock, log, answers, pulses, isStopping, ...features } = this.#parts;
    const { refused, history, withheld, alerts, keyExpiry } = features;
    const { sources: known, ...ofPulses } = pulses.status();
    const { hosts, limitedForMs, budget, ...ofUpstream } = answers.upstream.status();
    const { redis = null, stateDirFault } = answers.status();
    const { refusals, ...counts } = this.#counters.counts();
    const sources = known.map(sourceRow);
    const overdue = history.overdue();
    const shown = pulses.knownIds().flatMap((id) => pulses.peek(id)?.value.pulse ?? []);
    const latestRuns = Object.fromEntries(shown.map(({ sourceId, jobRunId }) => [sourceId, jobRunId]));
    return {
      /** The version of `@pulse-card/bff`. */
      version: packageVersion(),
      /** ISO 8601. */
      at: this.#isoAt(clock.now()),
      uptimeMs: clock.now() - this.#startedAt,
      stopping: isStopping(),
      ...ofPulses,
      ...ofUpstream,
      ...counts,
      /** Null if Redis isn't used. */
      redis,
      /** The error code of the last write to `PULSE_STATE_DIR`, such as `ENOSPC`; null if it succeeded. */
      stateDirFault,
      /** The state of `PULSE_API_KEY_FILE`, if it is set. */
      keyFile: answers.key.status(),
      /** The day in UTC, the days until then, and whether the day is an estimate. Null if this is unknown. */
      keyExpiry: keyExpiry.current() ?? null,
      /** `lastAnswerAt` is the time of the last response as ISO 8601. */
      hosts: hosts.map(({ lastAnswerAt: at, ...host }) => ({
        ...host,
        lastAnswerAt: at === undefined ? null : this.#isoAt(at),
      })),
      /** The calls in the window. `spent`, `reserved`, `free`, `earlier`, and `others` add up to `limit`. */
      budget: { ...budgetFacts(budget), history: [...this.#history] },
      /** Sources with a problem come first, then those with the most views. */
      sources: inOrder(sources, overdue),
      /** The failure of every call, if none succeeds; null if any does. */
      failing:
        limitedForMs === undefined
          ? failingOf(ofPulses.list, known)
          : { code: 'rate_limited' as const, forMs: limitedForMs, retryInMs: budget.pausedForMs },
      /** How long cached charts can still be shown without a new response, in ms; 0 if no charts are cached. */
      chartsLastMs: chartsLastMs({ sources, key: ofUpstream.key }, config),
      /** The sources that usually have a new run by now. */
      overdue,
      /** The hosts of charts that readers don't get. */
      refusedCharts: refused(shown),
      /** Only with `PULSE_WITHHELD_FILE`. `latestRuns`: the run that readers see, by source. */
      withheld: withheld && {
        /** Whether the status page can withhold and restore text. */
        isWritable: withheld.isWritable,
        fault: withheld.fault ?? null,
        /** The runs whose text is withheld, in the order of the file. */
        runs: withheld.runs,
        latestRuns,
      },
      /** The webhook's host (null if none is configured), how many messages arrived, and why the last one didn't. */
      alerts: alerts.status(),
      /** Whether log lines are being lost, because standard output can't be written. */
      logLost: log.isLost(),
      /** Whether requests came through a proxy that `TRUST_PROXY` doesn't include. */
      isBehindUnknownProxy: this.#isBehindUnknownProxy,
      /** Notes for the operator about the configuration. */
      warnings: config.warnings,
      /** The rejected requests since startup, by code and origin. */
      refusals: countsByCode(refusals),
      /** The rejected requests since startup, with advice. The most frequent ones come first. */
      turnedAway: refusals.map((refusal) => ({ ...refusal, ...causeOf(refusal) })),
    };
  }

  #isoAt(at: number): string {
    const { clock } = this.#parts;
    return new Date(clock.wallNow() - (clock.now() - at)).toISOString();
  }

  #point(): void {
    const { clock, answers } = this.#parts;
    this.#history.push({ at: this.#isoAt(clock.now()), spent: answers.upstream.status().budget.used });
    if (this.#history.length > HISTORY.points) this.#history.shift();
  }

  /** Logs each problem when it begins and when it is resolved. */
  async #look(): Promise<void> {
    const { log, keyExpiry } = this.#parts;
    const lasting = this.problems().filter(({ code }) => !PASSING.has(code));
    const now = new Map(lasting.map((problem) => [topicOf(problem), problem]));
    for (const [topic, { headline, advice }] of now)
      if (this.#logged.has(topic) || log.warn(`${headline} ${advice}`)) this.#logged.set(topic, headline);
    for (const [topic, headline] of this.#logged)
      if (!now.has(topic) && log.warn(`Over: ${headline}`)) this.#logged.delete(topic);
    // While the storage can't be reached, recording the day is postponed.
    await keyExpiry.note().catch(() => {});
  }
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
  return { words, advice: code === 'origin_forbidden' ? `${originAdvice([origin])}.` : advice };
}
