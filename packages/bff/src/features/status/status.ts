import { errorCodeSchema } from '@pulse-card/contract';
import type { NotReady } from '../../http/routes/health.ts';
import { processStartedMs, repeat } from '../../lib/clock.ts';
import { topicOf } from '../../lib/problem.ts';
import { Counters } from './counters.ts';
import { problemsOf, summaryOf } from './problems.ts';
import { isoAt, readState, type StatusParts } from './state.ts';

/** How often to count calls and check for problems, in ms. */
const LOOK_EVERY_MS = 5_000;

/** The number of points in the history of calls, which covers 30 minutes. */
const POINTS = 361;

/** Problems that end without any action. The status shows them, but the log doesn't. */
const PASSING: ReadonlySet<string> = new Set(['stopping', 'starting']);

/** The response to `GET /status`. */
export interface StatusDocument extends ReturnType<Status['document']> {}

/** Everything that the operator can find out: the state, the problems, and what readers got. */
export class Status {
  readonly #parts: StatusParts;
  /** Counts what readers get. */
  readonly counters: Counters;
  readonly #startedAt: number;
  readonly #calls: { at: string; spent: number }[] = [];
  readonly #logged = new Map<string, string>();
  #end = (): void => {};

  constructor(parts: StatusParts) {
    const { clock, pulses, ownsProcess } = parts;
    this.#parts = parts;
    this.#startedAt = ownsProcess ? processStartedMs : clock.now();
    this.counters = new Counters(clock, pulses);
  }

  start(): void {
    this.#point();
    this.#end = repeat(this.#parts.clock, LOOK_EVERY_MS, () => this.#look());
  }

  close(): void {
    this.#end();
  }

  /** Why this instance shouldn't get traffic; undefined if it should. */
  whyNotReady(): NotReady | undefined {
    const { pulses, isStopping } = this.#parts;
    if (pulses.isReady() && !isStopping()) return undefined;
    const [first] = this.document().problems;
    const code = errorCodeSchema.safeParse(first?.code).data ?? 'upstream_unavailable';
    return { code, reason: first?.headline ?? 'There is nothing to serve.' };
  }

  document() {
    const uptimeMs = this.#parts.clock.now() - this.#startedAt;
    const state = readState(this.#parts, this.counters.counts(), { uptimeMs, calls: this.#calls });
    const problems = problemsOf(state);
    return {
      /** The most serious problem, or a message that everything works. */
      summary: summaryOf(problems, state),
      /** All current problems, most serious first. */
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

  #point(): void {
    const { clock, answers } = this.#parts;
    this.#calls.push({ at: isoAt(clock, clock.now()), spent: answers.upstream.status().budget.used });
    if (this.#calls.length > POINTS) this.#calls.shift();
  }

  /** Logs each problem when it begins and when it is resolved, and reports it to the webhook. */
  async #look(): Promise<void> {
    const { log, keyExpiry, alerts } = this.#parts;
    this.#point();
    const { problems, hosts } = this.document();
    const lasting = problems.filter(({ code }) => !PASSING.has(code));
    const now = new Map(lasting.map((problem) => [topicOf(problem), problem]));
    for (const [topic, { headline, advice }] of now)
      if (this.#logged.has(topic) || log.warn(`${headline} ${advice}`)) this.#logged.set(topic, headline);
    for (const [topic, headline] of this.#logged)
      if (!now.has(topic) && log.warn(`Over: ${headline}`)) this.#logged.delete(topic);
    // While the storage can't be reached, recording the day is postponed.
    await keyExpiry.note().catch(() => {});
    await alerts.look(problems, { hasAnswered: hosts.some(({ lastAnswerAt }) => lastAnswerAt !== null) });
  }
}
