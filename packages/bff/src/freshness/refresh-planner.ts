import { isPlentiful, type Market, marketAt, openMarket, withBargain, withSpending } from './going-price.ts';
import { SourceRecord } from './source-record.ts';
import { type RefreshFacts, refreshFacts } from './refresh-facts.ts';

/**
 * The id under which the list operation is planned, by the same rule as the sources. A view of the list counts in full;
 * a view of a pulse shows only the status, name and provider that the list tells, so the caller leaves it uncounted.
 */
export const LIST_ID = '*list';

/** With calls to spare, sources seen this lately are kept fresh whatever a call is worth. */
const WARM_MS = 300_000;

/** A reader is not made to wait for less than this much expected staleness, in ms: waiting costs half a second itself. */
const WORTH_HALF_A_SECOND_MS = 1_000;

/** What the key may spend at the moment. */
export interface Tokens {
  /** Calls that may leave now. */
  left: number;
  /** Calls that may leave in a window. */
  capacity: number;
}

/** A source to refresh, and why. */
export interface Candidate {
  id: string;
  /** Reader-ms of staleness that the call buys; Infinity for a source with no answer yet. */
  worth: number;
  reason: 'never-asked' | 'worth-the-price' | 'tokens-plentiful';
}

/** Decides which source gets the next call of the key, and which reader waits for one. */
export interface RefreshPlanner {
  /** Takes in that a reader looked at a source. */
  sawView(id: string, now: number): void;
  /** Takes in how many live streams show a source. */
  watched(id: string, readers: number, now: number): void;
  /** Takes in that a call for a source leaves now, whoever wanted it. */
  asked(id: string, now: number): void;
  /** Takes in an answer (a 404 is one); `changed`: it differs from the one before. Tells of kept answers after a restart, too. */
  refreshed(id: string, now: number, outcome: { changed: boolean }): void;
  /** Takes in that the upstream gave no answer. */
  failed(id: string, now: number): void;
  /** Drops all that is known of a source. */
  forget(id: string): void;
  /** The source where the next call buys most, if that is worth the going price or calls are plentiful. */
  next(now: number, tokens: Tokens): Candidate | undefined;
  /** Says whether a reader who asks now shall wait for a refresh of this source. */
  worthWaiting(id: string, now: number, tokens: Tokens): boolean;
  /** The facts behind the decisions on a source, for the status page. */
  explain(id: string, now: number): RefreshFacts | undefined;
  /** The reader-ms of staleness that a call must buy at the moment. */
  price(): number;
}

export interface RefreshPlannerOptions {
  /** Length of the key's window, in ms. */
  windowMs: number;
  /** Calls per window, until the first `next()` tells better. */
  callsPerWindow: number;
  /** Age below which no answer is refreshed, in ms. */
  minAgeMs: number;
  /** Sources that are kept in mind; those longest out of touch are dropped. @default 10_000 */
  maxSources?: number;
}

/** Makes the planner that spends the key's calls where readers gain most. */
export function createRefreshPlanner(options: RefreshPlannerOptions): RefreshPlanner {
  return new DemandPlanner(options);
}

class DemandPlanner implements RefreshPlanner {
  readonly #records = new Map<string, SourceRecord>();
  readonly #windowMs: number;
  readonly #minAgeMs: number;
  readonly #maxSources: number;
  #callsPerMs: number;
  #market: Market | undefined;

  constructor({ windowMs, callsPerWindow, minAgeMs, maxSources = 10_000 }: RefreshPlannerOptions) {
    for (const [name, value] of Object.entries({ windowMs, callsPerWindow, maxSources }))
      if (!(value > 0)) throw new RangeError(`Cannot plan refreshes: ${name} is ${value}, not above 0`);
    if (!(minAgeMs >= 0)) throw new RangeError(`Cannot plan refreshes: minAgeMs is ${minAgeMs}, not 0 or above`);
    this.#windowMs = windowMs;
    this.#minAgeMs = minAgeMs;
    this.#maxSources = maxSources;
    this.#callsPerMs = callsPerWindow / windowMs;
  }

  sawView(id: string, now: number): void {
    this.#record(id, now).sawView(now);
  }

  watched(id: string, readers: number, now: number): void {
    this.#record(id, now).views.watchedBy(Math.max(0, readers));
  }

  asked(id: string, now: number): void {
    this.#record(id, now).asked(now);
    this.#market = withSpending(this.#marketAt(now));
  }

  refreshed(id: string, now: number, { changed }: { changed: boolean }): void {
    this.#record(id, now).refreshed(now, changed);
  }

  failed(id: string, now: number): void {
    this.#record(id, now).failed(now);
  }

  forget(id: string): void {
    this.#records.delete(id);
  }

  next(now: number, { left, capacity }: Tokens): Candidate | undefined {
    this.#callsPerMs = Math.max(0, capacity) / this.#windowMs;
    const market = (this.#market = this.#marketAt(now));
    if (left < 1 || market.purse < 1) return undefined;
    const plentiful = isPlentiful(market);
    const best = this.#best(now, market.price, plentiful);
    if (best !== undefined && best.worth !== Infinity) this.#market = withBargain(market, best.worth);
    return best;
  }

  worthWaiting(id: string, now: number, { left }: Tokens): boolean {
    const record = this.#records.get(id);
    if (record?.refreshedAt === undefined) return true;
    if (left < 1 || record.isResting(now) || record.ageMs(now) < this.#minAgeMs) return false;
    const staleness = record.staleness(now);
    return staleness >= WORTH_HALF_A_SECOND_MS && record.worth(now) + staleness >= this.#marketAt(now).price;
  }

  explain(id: string, now: number): RefreshFacts | undefined {
    const record = this.#records.get(id);
    return record && refreshFacts(record, now, { price: this.#marketAt(now).price, minAgeMs: this.#minAgeMs });
  }

  price(): number {
    return (this.#market ?? openMarket(0)).price;
  }

  #best(now: number, price: number, plentiful: boolean): Candidate | undefined {
    let best: Candidate | undefined;
    for (const [id, record] of this.#records) {
      if (!this.#isDue(record, now)) continue;
      const worth = record.worth(now);
      if (best !== undefined && worth <= best.worth) continue;
      const reason = reasonFor(worth, price, plentiful && record.isSeen(now, WARM_MS));
      if (reason !== undefined) best = { id, worth, reason };
    }
    return best;
  }

  #isDue(record: SourceRecord, now: number): boolean {
    return (
      record.ageMs(now) >= this.#minAgeMs && record.isSeen(now) && !record.isBeingAsked(now) && !record.isResting(now)
    );
  }

  #marketAt(now: number): Market {
    return marketAt(this.#market ?? openMarket(now), now, this.#callsPerMs);
  }

  /** The record of a source, now the last to be dropped. */
  #record(id: string, now: number): SourceRecord {
    const record = this.#records.get(id) ?? new SourceRecord(now);
    this.#records.delete(id);
    this.#records.set(id, record);
    if (this.#records.size > this.#maxSources) this.#dropOldest();
    return record;
  }

  #dropOldest(): void {
    const oldest = this.#records.keys().next();
    if (!oldest.done) this.#records.delete(oldest.value);
  }
}

function reasonFor(worth: number, price: number, plentiful: boolean): Candidate['reason'] | undefined {
  if (worth === Infinity) return 'never-asked';
  if (worth >= price) return 'worth-the-price';
  return plentiful ? 'tokens-plentiful' : undefined;
}
