import { type Logger, pino } from 'pino';
import { type Clock, firstWithin, systemClock } from './clock.ts';
import { LogOutput } from './log-output.ts';
import { printable } from './printable.ts';

/** The minimum time between two lines of the same kind, in ms. */
const ONE_LINE_MS = 60_000;

/** How many kinds of lines are remembered. */
const MAX_KINDS = 200;

const MAX_LINE = 600;

/** How long writing the last lines may take. */
const CLOSE_WITHIN_MS = 1_000;

const STANDARD_OUTPUT = 1;

/** The log. */
export type Log = ReturnType<typeof openLog>;

export interface LogOptions {
  readonly level: string;
  /** Whether this process serves only the BFF. @default false */
  readonly ownsProcess?: boolean;
  /** @default standard output */
  readonly output?: Pick<LogOutput, 'write' | 'isLost' | 'close'>;
  readonly clock?: Pick<Clock, 'now'>;
}

/**
 * Opens the log, which contains one JSON object per line. Readers get their responses even if the log can't be written
 * to.
 */
export function openLog({ level, ownsProcess = false, output, clock = systemClock }: LogOptions) {
  const out = output ?? new LogOutput(STANDARD_OUTPUT, { ownsProcess });
  const logger: Logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, out);
  const isDue = onceAMinute(clock);
  return {
    logger,
    /** Logs a warning, at most once a minute for the same kind. Returns whether it was logged. */
    warn: (message: string, kind = message): boolean => {
      const isLogged = isDue(kind);
      if (isLogged) logger.warn(printable(message).slice(0, MAX_LINE));
      return isLogged;
    },
    info: (message: string, facts = {}): void => logger.info(facts, printable(message).slice(0, MAX_LINE)),
    /**
     * Logs where in the code an internal error happened, at most once a minute. The error's text may quote a secret.
     */
    fault: (error: unknown, what = 'Can’t finish background work'): void => {
      const fault = errorSummary(error);
      if (isDue(`${what} ${fault}`)) logger.error({ fault }, `${what}: internal error`);
    },
    /** Whether lines are currently being lost because standard output can't be written to. */
    isLost: (): boolean => out.isLost,
    /** Resolves once the last lines are written or can't be written. */
    close: (): Promise<void> => out.close(CLOSE_WITHIN_MS),
  };
}

/** Whether a line of this kind may be written now. */
export function onceAMinute(clock: Pick<Clock, 'now'>): (kind: string) => boolean {
  return firstWithin(clock, ONE_LINE_MS, MAX_KINDS);
}

/** An error's name and the line of code that threw it, without its message or cause. */
export function errorSummary(fault: unknown): string {
  if (!(fault instanceof Error)) return typeof fault;
  const [, origin = 'an unknown place'] = /\n\s+at ([^\n]+)/.exec(fault.stack ?? '') ?? [];
  return `${fault.name} at ${origin}`;
}
