import type { ErrorCode } from '@pulse-card/contract';
import type { Clock } from '../clock.ts';
import type { ResponseRecord } from '../http/request-context.ts';
import { REFUSAL_CODES } from './refusal-counter.ts';

/** The answers of one hour are counted by minute, so that what is older can be dropped. */
const MINUTES = 60;
const MINUTE_MS = 60_000;

/** Pictures are judged by the last of these minutes. */
const IMAGE_MINUTES = 5;

/** Codes that keep a chart from a reader who may see it. */
const FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  'upstream_auth',
  'upstream_rate_limited',
  'upstream_unavailable',
  'upstream_invalid',
  'internal',
]);

const IMAGE_ROUTE = '/v1/sources/:sourceId/image';

/** Data answers of the last hour, by what the reader got. */
export interface AnswerCounts {
  /** From the cache, as new as it should be. */
  readonly fresh: number;
  /** An earlier version. */
  readonly stale: number;
  /** New, after a call to the service that the reader waited for. */
  readonly waited: number;
  /** Turned away: another origin, no token, too many requests, no such source. */
  readonly refused: number;
  /** An error, although the reader may see the chart. */
  readonly failed: number;
}

/** Pictures of charts over the last five minutes. */
export interface ImageCounts {
  readonly loaded: number;
  readonly failed: number;
}

/** What is looked at of an answer. */
export type CountedAnswer = Pick<ResponseRecord, 'route' | 'code' | 'cacheResult' | 'stale'>;

type Kind = keyof AnswerCounts | 'imageLoaded' | 'imageFailed';

type Minute = { at: number } & Record<Kind, number>;

/** Counts what readers got over the last hour, in constant time and room. */
export class AnswerCounter {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #minutes: Minute[] = Array.from({ length: MINUTES }, () => emptyMinute(-1));

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Takes in an answer. */
  record(answer: CountedAnswer): void {
    const kind = kindOf(answer);
    if (kind !== undefined) this.#minute()[kind] += 1;
  }

  counts(): AnswerCounts {
    const [fresh, stale, waited] = [this.#sum('fresh'), this.#sum('stale'), this.#sum('waited')];
    return { fresh, stale, waited, refused: this.#sum('refused'), failed: this.#sum('failed') };
  }

  images(): ImageCounts {
    return { loaded: this.#sum('imageLoaded', IMAGE_MINUTES), failed: this.#sum('imageFailed', IMAGE_MINUTES) };
  }

  #minute(): Minute {
    const at = Math.floor(this.#clock.now() / MINUTE_MS);
    const slot = at % MINUTES;
    const minute = this.#minutes[slot];
    if (minute?.at === at) return minute;
    return (this.#minutes[slot] = emptyMinute(at));
  }

  #sum(kind: Kind, minutes = MINUTES): number {
    const now = Math.floor(this.#clock.now() / MINUTE_MS);
    return this.#minutes.reduce((sum, minute) => (now - minute.at < minutes ? sum + minute[kind] : sum), 0);
  }
}

function emptyMinute(at: number): Minute {
  return { at, fresh: 0, stale: 0, waited: 0, refused: 0, failed: 0, imageLoaded: 0, imageFailed: 0 };
}

function kindOf({ route, code, cacheResult, stale }: CountedAnswer): Kind | undefined {
  if (REFUSAL_CODES.has(code)) return 'refused';
  const isFailed = code !== undefined && FAILURES.has(code);
  // A pulse was found, so that a failure is one of its picture.
  if (route === IMAGE_ROUTE && cacheResult !== undefined) return isFailed ? 'imageFailed' : 'imageLoaded';
  if (isFailed) return 'failed';
  if (cacheResult === undefined) return undefined;
  if (stale === true) return 'stale';
  return cacheResult === 'hit' ? 'fresh' : 'waited';
}
