import { type Logger, destination, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { LRUCache } from 'lru-cache';
import { type Clock, systemClock } from '../lib/clock.ts';
import { printable } from '../lib/printable.ts';

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

/** Write to the log, each text at most once a minute. */
export interface Reporters {
  /** Returns whether it was written. */
  readonly warn: (message: string) => boolean;
  /** Internal errors of background work. */
  readonly onFault: (fault: unknown) => void;
  /** Internal errors while a request is answered. */
  readonly onRequestFault: (fault: unknown) => void;
  /** Errors of functions of the host application. */
  readonly onHostFault: (message: string) => void;
}

/** The reporters of a log. */
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
