import type { Logger } from 'pino';
import type { Answered } from '../http/exchange.ts';
import { requestRecord } from './request-record.ts';

/** Hits of this long are one line. */
const HITS_TOGETHER_MS = 1_000;

interface Hits {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  count: number;
  longestMs: number;
}

/**
 * Writes down what readers were answered. Hits, of which there are thousands a second, are summed up second by second, for
 * a line each would cost a sixth of the machine; every other answer has its line. At `debug` every hit has its own, too.
 */
export class AnswerLog {
  readonly #logger: Logger;
  readonly #nameOfClient: (answered: Answered) => string;
  readonly #hits = new Map<string, Hits>();
  readonly #isOn: boolean;
  readonly #sumsUp: boolean;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(logger: Logger, nameOfClient: (answered: Answered) => string) {
    this.#logger = logger;
    this.#nameOfClient = nameOfClient;
    this.#isOn = logger.isLevelEnabled('info');
    this.#sumsUp = !logger.isLevelEnabled('debug');
    if (this.#isOn) this.#timer = setInterval(() => this.flush(), HITS_TOGETHER_MS).unref();
  }

  /** Takes in an answer. */
  answered(answered: Answered): void {
    if (!this.#isOn) return;
    if (this.#sumsUp && answered.verdict === 'hit' && answered.code === undefined) this.#sumUp(answered);
    else this.#logger.info(requestRecord(answered, this.#nameOfClient(answered)), 'answered');
  }

  /** Writes down the hits so far. */
  flush(): void {
    for (const { method, route, status, count, longestMs } of this.#hits.values()) {
      this.#logger.info({ method, route, status, ms: roundedMs(longestMs), cache: 'hit', count }, 'answered');
    }
    this.#hits.clear();
  }

  /** Writes down the hits so far, and ends. */
  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }

  #sumUp({ method, route, status, durationMs }: Answered): void {
    const name = `${method} ${route} ${status}`;
    const hits = this.#hits.get(name);
    if (hits === undefined) this.#hits.set(name, { method, route, status, count: 1, longestMs: durationMs });
    else {
      hits.count += 1;
      if (durationMs > hits.longestMs) hits.longestMs = durationMs;
    }
  }
}

function roundedMs(ms: number): number {
  return Math.round(ms * 100) / 100;
}
