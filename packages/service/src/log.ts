import { type DestinationStream, type Logger, pino } from 'pino';
import type { ServeConfig } from './config.ts';

/** The maximum amount of text that can wait to be written, in bytes. Further lines are dropped. */
const MAX_WAITING = 256 * 1024;

/**
 * Opens the log. It contains one JSON object per line and is written to standard output unless `destination` is given.
 * If the log can't be written, for example because a disk is full, the service still responds to requests.
 */
export function createLog(level: ServeConfig['logLevel'], destination?: DestinationStream): Logger {
  const options = { level, base: { app: 'pulse-service' }, serializers: { err: recordOf } };
  if (destination !== undefined) return pino(options, destination);
  return pino(
    options,
    pino.destination({ dest: 1, sync: true, maxLength: MAX_WAITING }).on('error', () => {}),
  );
}

/** Built field by field, because drivers add hosts and users to their errors. Stack traces are left for a debugger. */
function recordOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? String(error.code) : undefined;
  return { type: error.constructor.name, ...(code === undefined ? {} : { code }), message: error.message };
}
