import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../freshness/refresh-planner.ts';
import type { Verdict } from '../freshness/verdict.ts';
import { inTime } from './in-time.ts';
import type { Memory } from './memory.ts';
import type { CacheFacts, Reading, SourceList } from './port.ts';
import { factsOf, failedReading, NOTHING_YET, readingOf } from './reading.ts';
import type { Refresher } from './refresher.ts';
import type { RestBook } from './rest-book.ts';

export interface ListReaderOptions {
  readonly memory: Memory;
  readonly rests: RestBook;
  readonly refresher: Refresher;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
  readonly freshForMs: number;
  readonly upstreamTimeoutMs: number;
  /** How far a list that was asked for then may be trusted now. */
  readonly verdictOf: (askedAt: number, now: number) => Verdict;
}

/** Answers readers of the list: what is kept, or what comes in time. */
export class ListReader {
  readonly #options: ListReaderOptions;

  constructor(options: ListReaderOptions) {
    this.#options = options;
  }

  /** Never rejects. Counts as a view of the list. */
  async read(): Promise<Reading<SourceList>> {
    const { clock, planner, refresher, rests } = this.#options;
    const now = clock.now();
    planner.sawView(LIST_ID, now);
    const verdict = this.#verdictAt(now);
    if (verdict === 'fresh') return this.#kept(now);
    if (verdict === 'stale' && !refresher.isWorthWaiting(LIST_ID, now)) return this.#kept(now, this.#whyStale(now));
    const rest = verdict === 'expired' ? rests.restingAt(LIST_ID, now) : undefined;
    if (rest) return failedReading(rest);
    return this.#wait(verdict === 'expired' ? 'miss' : 'stale');
  }

  async #wait(fwd: 'miss' | 'stale'): Promise<Reading<SourceList>> {
    const { clock, refresher } = this.#options;
    const { flight, isNew } = refresher.joinList({ readerWaits: fwd === 'miss' });
    const landed = await inTime(flight, this.#options, fwd);
    const now = clock.now();
    if (landed?.ok) return this.#kept(now, { hit: false, fwd, fwdStatus: 200, stored: true, collapsed: !isNew });
    if (fwd === 'miss') return failedReading(landed ?? NOTHING_YET);
    return this.#kept(now, landed ? factsOf(landed) : {});
  }

  #kept(now: number, facts?: Partial<CacheFacts>): Reading<SourceList> {
    const { memory, freshForMs } = this.#options;
    if (!memory.list || this.#verdictAt(now) === 'expired') return failedReading(NOTHING_YET);
    return readingOf(memory.list.list, { askedAt: memory.list.askedAt, freshForMs, now }, facts);
  }

  #verdictAt(now: number): Verdict {
    const { memory, verdictOf } = this.#options;
    return memory.list ? verdictOf(memory.list.askedAt, now) : 'expired';
  }

  #whyStale(now: number): Partial<CacheFacts> {
    const detail = this.#options.refresher.obstacle(LIST_ID, now);
    return detail === undefined ? {} : { detail };
  }
}
