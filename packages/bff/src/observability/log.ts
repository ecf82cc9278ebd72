import { type Logger, destination, pino } from 'pino';
import type { Config } from '../config.ts';

/** Bytes of log lines that are written at once: a write for each line would cost as much as an answer. */
const WRITTEN_AT_ONCE_BYTES = 4_096;

/** Longest that a line waits to be written. */
const FLUSH_EVERY_MS = 250;

/** The log, and its end. */
export interface Log {
  readonly logger: Logger;
  /** Writes what is still held back, and ends the timer. */
  close(): void;
}

/** Opens the log: one JSON object a line on standard output. Records are built field by field, never from requests. */
export function openLog(level: Config['logLevel']): Log {
  const stream = destination({ dest: 1, sync: false, minLength: WRITTEN_AT_ONCE_BYTES });
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
  const timer = setInterval(() => stream.flush(), FLUSH_EVERY_MS).unref();
  return {
    logger,
    close() {
      clearInterval(timer);
      flushed(stream);
    },
  };
}

/** A stream that is not open yet, as in the first milliseconds, refuses to be flushed; then its lines are few. */
function flushed(stream: ReturnType<typeof destination>): void {
  try {
    stream.flushSync();
  } catch {
    stream.once('ready', () => stream.flushSync());
  }
}

/** What kind of fault it is and where it came from; its message and its cause may quote a request or a secret. */
export function errorSummary(fault: unknown): string {
  if (!(fault instanceof Error)) return typeof fault;
  const [, origin = 'an unknown place'] = /\n\s+at ([^\n]+)/.exec(fault.stack ?? '') ?? [];
  return `${fault.name} at ${origin}`;
}
