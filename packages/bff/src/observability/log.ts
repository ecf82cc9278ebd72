import { type Logger, destination, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { LRUCache } from 'lru-cache';
import { type Clock, systemClock } from '../lib/clock.ts';
import { printable } from '../lib/printable.ts';

/** Log lines are written in groups, because a separate write for each line would take as long as a response. */
const WRITTEN_AT_ONCE_BYTES = 4_096;

/** The longest time that a line waits to be written. */
const FLUSH_EVERY_MS = 250;

/** How long writing the last lines may take. */
const CLOSE_WITHIN_MS = 1_000;

/** The log, and the function that ends it. */
export interface Log {
  readonly logger: Logger;
  /** Stops the timer. Resolves once the waiting lines are written or can't be written. */
  close(): Promise<void>;
}

/**
 * Opens the log. The log has one JSON object per line, on standard output. Records are built field by field, and never
 * directly from requests.
 */
export function openLog(level: Config['logLevel']): Log {
  const stream = destination({ dest: 1, sync: false, minLength: WRITTEN_AT_ONCE_BYTES });
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  const timer = setInterval(() => stream.flush(), FLUSH_EVERY_MS).unref();
  return {
    logger,
    // `flushSync()` isn't used, because it retries forever if the output is no longer read.
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

/**
 * The name of an error and the line of code that threw it. The message and cause are left out, because they may quote a
 * request or a secret.
 */
export function errorSummary(fault: unknown): string {
  if (!(fault instanceof Error)) return typeof fault;
  const [, origin = 'an unknown place'] = /\n\s+at ([^\n]+)/.exec(fault.stack ?? '') ?? [];
  return `${fault.name} at ${origin}`;
}

/** The minimum time between two lines of the same kind, in ms. */
const ONE_LINE_MS = 60_000;

/** How many kinds of lines are remembered. */
const MAX_KINDS = 200;

/**
 * Writes at most one warning of each kind per minute, so that a repeated error doesn't fill the disk. Messages that
 * differ only in numbers are of the same kind. Returns whether the line was written. If not, the caller can report the
 * same state later.
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

/** These functions write to the log. Each text is written at most once a minute. */
export interface Reporters {
  /** Returns whether the text was written. */
  readonly warn: (message: string) => boolean;
  /** Reports an internal error from background work. */
  readonly onFault: (fault: unknown) => void;
  /** Reports an internal error that occurred while answering a request. */
  readonly onRequestFault: (fault: unknown) => void;
  /** Reports an error that a function of the host application threw. */
  readonly onHostFault: (message: string) => void;
}

/** The functions that report errors to the log. */
export function reportersOf({ logger }: Log): Reporters {
  const faultReporter = (message: string) => {
    const report = throttledWarnings(systemClock, (fault) => logger.error({ fault }, message));
    return (fault: unknown): void => void report(errorSummary(fault));
  };
  return {
    warn: throttledWarnings(systemClock, (message) => logger.warn(message)),
    onFault: faultReporter('Cannot finish background work: internal error'),
    onRequestFault: faultReporter('Cannot answer a request: internal error'),
    onHostFault: throttledWarnings(systemClock, (message) => logger.error(printable(message).slice(0, 400))),
  };
}
