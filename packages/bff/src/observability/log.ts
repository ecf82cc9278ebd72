import { type Logger, destination, pino } from 'pino';
import type { Config } from '../config.ts';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.ts';
import type { ResponseRecord } from '../http/context.ts';
import { clientNetwork, RefusalLog } from './refusal-log.ts';

/** Log lines are written together: a write for each line would take as long as a response. */
const WRITTEN_AT_ONCE_BYTES = 4_096;

/** How long a line waits at most. */
const FLUSH_EVERY_MS = 250;

/** The log, and its end. */
export interface Log {
  readonly logger: Logger;
  /** Writes the waiting lines, and stops the timer. */
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

/** Flushes the stream; one that is not open yet, in the first milliseconds, once it is. */
function flushed(stream: ReturnType<typeof destination>): void {
  try {
    stream.flushSync();
  } catch {
    stream.once('ready', () => stream.flushSync());
  }
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
 * Writes one warning of a kind a minute, so that a fault that repeats fills no disk. Messages that differ in numbers alone
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

/** Text for a terminal or a log line: characters that would steer it are replaced by `?`. */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
}

/** How often hits are logged. */
const HITS_TOGETHER_MS = 1_000;

interface Hits {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  count: number;
  maxMs: number;
}

/**
 * Logs responses. Cache hits, of which there are thousands a second, share one line a second for each route, since a line each
 * takes a sixth of the CPU; refusals share one line in ten seconds for each code. Every other response has its own line, and at
 * `debug` each response has.
 */
export class AccessLog {
  readonly #logger: Logger;
  readonly #refusals: RefusalLog;
  readonly #hits = new Map<string, Hits>();
  readonly #isOn: boolean;
  readonly #sumsUp: boolean;
  readonly #timer: NodeJS.Timeout;

  constructor(logger: Logger, clock: Pick<Clock, 'now'>) {
    this.#logger = logger;
    this.#refusals = new RefusalLog(logger, () => clock.now());
    this.#isOn = logger.isLevelEnabled('info');
    this.#sumsUp = !logger.isLevelEnabled('debug');
    this.#timer = setInterval(() => this.flush(), HITS_TOGETHER_MS).unref();
  }

  /** Records a response. */
  record(answered: ResponseRecord): void {
    const { code, status, cacheResult } = answered;
    if (this.#sumsUp && code !== undefined && status < 500) this.#refusals.record(code, answered);
    else if (!this.#isOn) return;
    else if (this.#sumsUp && cacheResult === 'hit' && code === undefined) this.#sumUp(answered);
    else this.#logger.info(accessLogRecord(answered), 'answered');
  }

  /** Logs the hits so far, and the refusals that are due. */
  flush(): void {
    this.#refusals.flush();
    for (const { method, route, status, count, maxMs } of this.#hits.values()) {
      this.#logger.info({ method, route, status, ms: roundedMs(maxMs), cache: 'hit', count }, 'answered');
    }
    this.#hits.clear();
  }

  /** Logs the hits so far, and stops. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
    this.#refusals.flush({ isEnd: true });
  }

  #sumUp({ method, route, status, durationMs }: ResponseRecord): void {
    const name = `${method} ${route} ${status}`;
    const hits = this.#hits.get(name);
    if (hits === undefined) this.#hits.set(name, { method, route, status, count: 1, maxMs: durationMs });
    else {
      hits.count += 1;
      if (durationMs > hits.maxMs) hits.maxMs = durationMs;
    }
  }
}

function roundedMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** Maximum length of request text in a line, in characters. */
const TEXT_LENGTH = 100;

/** One answered request as the log holds it: no query, no address in full, no header but what is named here. */
export function accessLogRecord(answered: ResponseRecord): Record<string, unknown> {
  const { method, route, status, durationMs, cacheResult, ageMs, code, detail, request, client } = answered;
  return {
    method,
    route,
    ...(route === 'none' && { path: sanitizedText(pathOf(request.url ?? '')) }),
    status,
    ms: roundedMs(durationMs),
    ...(cacheResult !== undefined && { cache: cacheResult }),
    ...(ageMs !== undefined && { age: Math.floor(ageMs / 1_000) }),
    ...(code !== undefined && { code }),
    ...(detail !== undefined && { detail }),
    client: clientNetwork(client),
  };
}

function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** Text of a request, cut, with everything beyond printable ASCII replaced by `?`. */
export function sanitizedText(text: string): string {
  return text.slice(0, TEXT_LENGTH).replace(/[^\x20-\x7e]/g, '?');
}
