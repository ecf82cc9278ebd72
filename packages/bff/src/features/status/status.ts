import { errorCodeSchema, type ReadPulse } from '@pulse-card/contract';
import type { Config } from '../../config.ts';
import type { Recorder } from '../../http/locals.ts';
import type { NotReady } from '../../http/routes/health.ts';
import { type Clock, processStartedMs, repeat } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { packageVersion } from '../../lib/package-version.ts';
import { type Problem, topicOf } from '../../lib/problem.ts';
import type { Answers } from '../../pulses/answers.ts';
import type { Pulses } from '../../pulses/pulses.ts';
import { Counters } from './counters.ts';
import { UNTRUSTED_PROXY } from './failure-words.ts';
import { problemsOf } from './problems.ts';
import { chartsLastMs, failingOf, sourceRow, type State } from './state.ts';
import { type CallHistoryPoint, type StatusDocument, statusDocument } from './status-document.ts';

/** The time between two checks for problems, in ms. */
const LOOK_EVERY_MS = 5_000;

/** The calls of the last 30 minutes are stored, with one point every 15 seconds. */
const HISTORY = { everyMs: 15_000, points: 121 };

/** Problems that end without any action. The status shows them, but the log doesn't. */
const PASSING: ReadonlySet<string> = new Set(['stopping', 'starting', 'upstream_failing', 'budget_spent']);

/** The parts whose state the status shows. */
export interface StatusParts {
  readonly config: Config;
  readonly log: Log;
  readonly clock: Clock;
  readonly answers: Answers;
  readonly pulses: Pulses;
  /** The hosts of charts that readers don't get. */
  readonly refused: (pulses: ReadPulse[]) => State['refusedCharts'];
  readonly history: { overdue(): readonly string[] };
  readonly withheld:
    | { isWritable: boolean; fault: 'missing' | 'unreadable' | undefined; runs: readonly string[] }
    | undefined;
  readonly alerts: { status(): State['alerts'] };
  readonly keyExpiry: { current(): State['keyExpiry'] | undefined; note(): Promise<void> };
  readonly isStopping: () => boolean;
  /** Whether the process serves only the BFF. */
  readonly ownsProcess: boolean;
}

/** What the operator can know: the state, its problems, and what readers got. */
export class Status {
  readonly record: Recorder;
  readonly #parts: StatusParts;
  readonly #counters: Counters;
  readonly #startedAt: number;
  readonly #history: CallHistoryPoint[] = [];
  readonly #logged = new Map<string, string>();
  readonly #ends: (() => void)[] = [];
  #isBehindUnknownProxy = false;

  constructor(parts: StatusParts) {
    const { clock, pulses, ownsProcess } = parts;
    this.#parts = parts;
    this.#startedAt = ownsProcess ? processStartedMs : clock.now();
    this.#counters = new Counters({ clock, isKnown: (id) => pulses.isKnown(id), isReady: () => pulses.isReady() });
    this.record = (record) => {
      this.#counters.record(record);
      if (record.isUntrustedProxy && !this.#isBehindUnknownProxy) parts.log.warn(UNTRUSTED_PROXY);
      this.#isBehindUnknownProxy ||= record.isUntrustedProxy;
    };
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

  problems(): Problem[] {
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

  document(): StatusDocument {
    return statusDocument(this.state(), this.#history);
  }

  /** The document as JSON, with durations in whole milliseconds. */
  json(): string {
    const whole = (name: string, value: unknown) =>
      typeof value === 'number' && name.endsWith('Ms') ? Math.round(value) : value;
    return JSON.stringify(this.document(), whole, 2);
  }

  state(): State {
    const { config, clock, log, answers, pulses, refused, history, withheld, alerts, keyExpiry, isStopping } =
      this.#parts;
    const { sources, ...ofPulses } = pulses.status();
    const { hosts, limitedForMs: forMs, ...ofUpstream } = answers.upstream.status();
    const limited = forMs !== undefined && {
      code: 'rate_limited' as const,
      forMs,
      retryInMs: ofUpstream.budget.pausedForMs,
    };
    const { redis = null, ...ofAnswers } = answers.status();
    const rows = sources.map(sourceRow);
    const shown = pulses.knownIds().flatMap((id) => pulses.peek(id)?.value.pulse ?? []);
    const latestRuns = Object.fromEntries(shown.map(({ sourceId, jobRunId }) => [sourceId, jobRunId]));
    const isoAt = (at: number | undefined) =>
      at === undefined ? null : new Date(clock.wallNow() - (clock.now() - at)).toISOString();
    return {
      version: packageVersion(),
      at: new Date(clock.wallNow()).toISOString(),
      uptimeMs: clock.now() - this.#startedAt,
      stopping: isStopping(),
      ...ofPulses,
      ...ofUpstream,
      ...ofAnswers,
      redis,
      keyFile: answers.key.status(),
      keyExpiry: keyExpiry.current() ?? null,
      hosts: hosts.map((host) => ({ ...host, lastAnswerAt: isoAt(host.lastAnswerAt) })),
      sources: rows,
      failing: limited || failingOf(ofPulses.list, sources),
      chartsLastMs: chartsLastMs({ sources: rows, key: ofUpstream.key }, config),
      overdue: history.overdue(),
      refusedCharts: refused(shown),
      withheld: withheld && {
        isWritable: withheld.isWritable,
        fault: withheld.fault ?? null,
        runs: withheld.runs,
        latestRuns,
      },
      alerts: alerts.status(),
      logLost: log.isLost(),
      warnings: [...config.warnings, ...(this.#isBehindUnknownProxy ? [UNTRUSTED_PROXY] : [])],
      ...this.#counters.counts(),
    };
  }

  #point(): void {
    const { clock, answers } = this.#parts;
    this.#history.push({ at: new Date(clock.wallNow()).toISOString(), spent: answers.upstream.status().budget.used });
    if (this.#history.length > HISTORY.points) this.#history.shift();
  }

  /** Logs each problem when it begins and when it is resolved. */
  async #look(): Promise<void> {
    const { log, keyExpiry } = this.#parts;
    const now = new Map(
      this.problems().flatMap((each) => (PASSING.has(each.code) ? [] : [[topicOf(each), each] as const])),
    );
    for (const [topic, { headline, advice }] of now)
      if (this.#logged.has(topic) || log.warn(`${headline} ${advice}`)) this.#logged.set(topic, headline);
    for (const [topic, headline] of this.#logged)
      if (!now.has(topic) && log.warn(`Over: ${headline}`)) this.#logged.delete(topic);
    // While the storage can't be reached, recording the day is postponed.
    await keyExpiry.note().catch(() => {});
  }
}
