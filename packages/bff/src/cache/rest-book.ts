import { LRUCache } from 'lru-cache';
import type { Failed } from './caller.ts';

/** Failures that are remembered at a time. */
const ROOM = 10_000;

interface Rest {
  readonly code: Failed['code'];
  readonly detail: string;
  readonly inARow: number;
  readonly until: number;
}

/** A failure that is still to be respected. */
export interface Resting {
  readonly code: Failed['code'];
  readonly detail: string;
  readonly retryInMs: number;
}

/** Which sources are left alone after a failure, and until when. */
export class RestBook {
  readonly #rests = new LRUCache<string, Rest>({ max: ROOM });
  readonly #absences = new LRUCache<string, { inARow: number; until: number }>({ max: 1_000 });

  /** The failure that all who ask at `now` share, instead of asking again. */
  restingAt(subject: string, now: number): Resting | undefined {
    const rest = this.#rests.get(subject);
    if (!rest || rest.until <= now) return undefined;
    return { code: rest.code, detail: rest.detail, retryInMs: rest.until - now };
  }

  /** Takes in a failure; `untilOf` says how long to rest after that many in a row. Returns the end of the rest. */
  failed(subject: string, { code, detail }: Failed, untilOf: (inARow: number) => number): number {
    const inARow = (this.#rests.get(subject)?.inARow ?? 0) + 1;
    const until = untilOf(inARow);
    this.#rests.set(subject, { code, detail, inARow, until });
    return until;
  }

  /** Takes in a failure that is not the subject's fault: it says itself when it is over. Returns the end of the rest. */
  sentToRest(subject: string, { code, detail }: Failed, until: number): number {
    const inARow = this.#rests.get(subject)?.inARow ?? 0;
    this.#rests.set(subject, { code, detail, inARow, until });
    return until;
  }

  answered(subject: string): void {
    this.#rests.delete(subject);
  }

  /** Takes in that the upstream does not know a stranger. */
  strangerAbsent(subject: string, untilOf: (inARow: number) => number): void {
    const inARow = (this.#absences.get(subject)?.inARow ?? 0) + 1;
    this.#absences.set(subject, { inARow, until: untilOf(inARow) });
  }

  /** Says whether a stranger was not there so lately that it is not asked for again. */
  isAbsent(subject: string, now: number): boolean {
    return (this.#absences.get(subject)?.until ?? -Infinity) > now;
  }

  /** What caused failures with these codes is over, and so are the rests. */
  forgive(...codes: readonly Failed['code'][]): void {
    for (const [subject, { code }] of this.#rests.entries()) if (codes.includes(code)) this.#rests.delete(subject);
  }

  clear(): void {
    this.#rests.clear();
    this.#absences.clear();
  }

  lastFailure(subject: string, now: number): Resting | null {
    const rest = this.#rests.peek(subject);
    return rest ? { code: rest.code, detail: rest.detail, retryInMs: Math.max(0, rest.until - now) } : null;
  }
}
