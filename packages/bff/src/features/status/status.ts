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
export interface StatusDocument extends ReturnType<ReturnType<typeof openStatus>['document']> {}

/** Everything that the operator can find out: the state, the problems, and what readers got. */
export function openStatus(parts: StatusParts) {
  const { clock, log, answers, pulses, alerts, keyExpiry, isStopping } = parts;
  const startedAt = parts.ownsProcess ? processStartedMs : clock.now();
  const counters = new Counters(clock, pulses);
  const calls: { at: string; spent: number }[] = [];
  const logged = new Map<string, string>();
  let end = (): void => {};

  const document = () => {
    const state = readState(parts, counters.counts(), { uptimeMs: clock.now() - startedAt, calls });
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
  };

  const countCalls = (): void => {
    calls.push({ at: isoAt(clock, clock.now()), spent: answers.upstream.status().budget.used });
    if (calls.length > POINTS) calls.shift();
  };

  /** Logs each problem when it begins and when it is resolved, and reports it to the webhook. */
  const look = async (): Promise<void> => {
    countCalls();
    const { problems, hosts } = document();
    const lasting = problems.filter(({ code }) => !PASSING.has(code));
    const now = new Map(lasting.map((problem) => [topicOf(problem), problem]));
    for (const [topic, { headline, advice }] of now)
      if (logged.has(topic) || log.warn(`${headline} ${advice}`, topic)) logged.set(topic, headline);
    for (const [topic, headline] of logged) if (!now.has(topic) && log.warn(`Over: ${headline}`)) logged.delete(topic);
    // While the storage can't be reached, recording the day is postponed.
    await keyExpiry.note().catch(() => {});
    await alerts.look(problems, { hasAnswered: hosts.some(({ lastAnswerAt }) => lastAnswerAt !== null) });
  };

  return {
    /** Counts what readers get. */
    counters,
    document,
    start(): void {
      countCalls();
      end = repeat(clock, LOOK_EVERY_MS, look);
    },
    close: (): void => end(),
    /** Why this instance shouldn't get traffic; undefined if it should. */
    whyNotReady(): NotReady | undefined {
      if (pulses.isReady() && !isStopping()) return undefined;
      const [first] = document().problems;
      const code = errorCodeSchema.safeParse(first?.code).data ?? 'upstream_unavailable';
      return { code, reason: first?.headline ?? 'There is nothing to serve.' };
    },
    /** The document as JSON, with durations in whole milliseconds. */
    json(): string {
      const whole = (name: string, value: unknown) =>
        typeof value === 'number' && name.endsWith('Ms') ? Math.round(value) : value;
      return JSON.stringify(document(), whole, 2);
    },
  };
}
