import type { ErrorCode } from '@pulse-card/contract';
import type { Clock } from '../clock.ts';
import type { ResponseRecord } from '../http/context.ts';

const MINUTE_MS = 60_000;

/** The window of the counts, in minutes. */
const MINUTES = 5;

/** A share of refused and failed answers above this is a problem. */
const MAX_SHARE = 0.05;

/** Fewer bad answers than this are no pattern. */
const MIN_BAD = 3;

/** Codes that keep a chart from a reader. Unknown ids and malformed addresses are mostly those of bots. */
const BAD_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'origin_forbidden',
  'token_missing',
  'token_invalid',
  'token_forbidden',
  'rate_limited',
  'upstream_auth',
  'upstream_rate_limited',
  'upstream_unavailable',
  'upstream_invalid',
  'internal',
]);

/** What readers got over the last five minutes. */
export interface ReaderOutcomes {
  /** Data answers, good and bad. */
  readonly total: number;
  /** Bad answers by code. */
  readonly bad: Readonly<Record<string, number>>;
}

/** The most frequent reason why readers get no chart. */
export interface ReaderProblem {
  readonly code: string;
  /** The share of all bad answers, from 0 to 1. */
  readonly share: number;
}

/** Why readers get no chart, where more than 5 % of them do not; undefined otherwise. */
export function readerProblem({ total, bad }: ReaderOutcomes): ReaderProblem | undefined {
  const [code] = Object.entries(bad).toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const share = badShare({ total, bad });
  return code === undefined || share * total < MIN_BAD || share <= MAX_SHARE ? undefined : { code, share };
}

/** The share of readers who got no chart, from 0 to 1. */
export function badShare({ total, bad }: ReaderOutcomes): number {
  return total === 0 ? 0 : Object.values(bad).reduce((all, count) => all + count, 0) / total;
}

interface Minute {
  at: number;
  total: number;
  readonly bad: Map<string, number>;
}

type CountedOutcome = Pick<ResponseRecord, 'code' | 'itemCode' | 'cacheResult'>;

/** Counts what readers get, in constant time and room. Probes, scripts and pages are not counted. */
export class ReaderOutcomeCounter {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #minutes: Minute[] = Array.from({ length: MINUTES }, () => emptyMinute(-MINUTES));

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Records a response. A batch in which a pulse could not be had is a bad answer. */
  record({ code: ownCode, itemCode, cacheResult }: CountedOutcome): void {
    const code = ownCode ?? itemCode;
    const isBad = code !== undefined && BAD_CODES.has(code);
    if (!isBad && cacheResult === undefined) return;
    const minute = this.#minute();
    minute.total += 1;
    if (isBad) minute.bad.set(code, (minute.bad.get(code) ?? 0) + 1);
  }

  outcomes(): ReaderOutcomes {
    const now = Math.floor(this.#clock.now() / MINUTE_MS);
    const bad: Record<string, number> = {};
    let total = 0;
    for (const minute of this.#minutes) {
      if (now - minute.at >= MINUTES) continue;
      total += minute.total;
      for (const [code, count] of minute.bad) bad[code] = (bad[code] ?? 0) + count;
    }
    return { total, bad };
  }

  #minute(): Minute {
    const at = Math.floor(this.#clock.now() / MINUTE_MS);
    const minute = this.#minutes[at % MINUTES];
    if (minute?.at === at) return minute;
    return (this.#minutes[at % MINUTES] = emptyMinute(at));
  }
}

function emptyMinute(at: number): Minute {
  return { at, total: 0, bad: new Map() };
}
