import { type Logger, destination, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import { PASSING, type Problem, topicOf } from './operator-problems.ts';

/** Log lines are written together: a write for each line would take as long as a response. */
const WRITTEN_AT_ONCE_BYTES = 4_096;

/** How long a line waits at most. */
const FLUSH_EVERY_MS = 250;

/** How long the last lines may take to be written. */
const CLOSE_WITHIN_MS = 1_000;

/** The log, and its end. */
export interface Log {
  readonly logger: Logger;
  /** Stops the timer, and resolves once the waiting lines are written, or cannot be. */
  close(): Promise<void>;
}

/** Opens the log: one JSON object a line on standard output. Records are built field by field, never from requests. */
export function openLog(level: Config['logLevel']): Log {
  const stream = destination({ dest: 1, sync: false, minLength: WRITTEN_AT_ONCE_BYTES });
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  const timer = setInterval(() => stream.flush(), FLUSH_EVERY_MS).unref();
  return {
    logger,
    // Not `flushSync()`, which tries forever if no one reads any more.
    async close() {
      clearInterval(timer);
      const { promise: written, resolve } = Promise.withResolvers<void>();
      const late = setTimeout(resolve, CLOSE_WITHIN_MS);
      stream.flush(() => resolve());
      await written;
      clearTimeout(late);
    },
  };
}

/** The name of an error and the place it came from, without its message and cause, which may quote a request or a secret. */
export function errorSummary(fault: unknown): string {
  if (!(fault instanceof Error)) return typeof fault;
  const [, origin = 'an unknown place'] = /\n\s+at ([^\n]+)/.exec(fault.stack ?? '') ?? [];
  return `${fault.name} at ${origin}`;
}

/** Between two lines of one kind, in ms. */
const ONE_LINE_MS = 60_000;

/** Kinds that are remembered at a time. */
const MAX_KINDS = 200;

/**
 * Writes one warning of a kind a minute, so that an error that repeats fills no disk. Messages that differ only in numbers
 * are of one kind. Returns whether it wrote, so that the caller can report the same state later.
 */
export function throttledWarnings(clock: Clock, write: (message: string) => void): (message: string) => boolean {
  const writtenAt = new LRUCache<string, number>({ max: MAX_KINDS });
  return (message) => {
    const kind = message.replaceAll(/\d+/g, '#');
    const now = clock.now();
    if (now - (writtenAt.get(kind) ?? -Infinity) < ONE_LINE_MS) return false;
    writtenAt.set(kind, now);
    write(message);
    return true;
  };
}

/** Logs each problem once when it begins, and once when it is over. */
export class ProblemLog {
  readonly #warn: (message: string) => unknown;
  /** The latest headlines of the problems that were logged and are not over. */
  readonly #logged = new Map<string, string>();

  /** A line for which `warn` returns false was not written, and is written later if it still holds. */
  constructor(warn: (message: string) => unknown) {
    this.#warn = warn;
  }

  /** Updates the current problems. */
  update(problems: readonly Problem[]): void {
    const now = new Map(problems.filter(({ code }) => !PASSING.has(code)).map((each) => [topicOf(each), each]));
    for (const [topic, { headline, advice }] of now)
      if (this.#logged.has(topic) || this.#warn(`${headline} ${advice}`) !== false) this.#logged.set(topic, headline);
    for (const [topic, headline] of this.#logged)
      if (!now.has(topic) && this.#warn(`Over: ${headline}`) !== false) this.#logged.delete(topic);
  }
}
