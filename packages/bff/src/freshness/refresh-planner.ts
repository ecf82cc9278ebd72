import { GoingPrice, type Tokens } from './going-price.ts';
import { Promptness } from './promptness.ts';
import { type RefreshFacts, refreshFacts } from './refresh-facts.ts';
import type { SourceRecord } from './source-record.ts';
import { SourceRecords } from './source-records.ts';

/**
 * The id under which the list operation is planned, by the same rule as the sources. A view of the list counts in full;
 * a view of a pulse shows only the status, name and provider that the list tells, so the caller leaves it uncounted.
 */
export const LIST_ID = '*list';

/** With calls to spare, sources seen this lately are kept fresh whatever a call is worth. */
const WARM_MS = 300_000;

/** A reader is not made to wait, which may take half a second, for less expected staleness than this, in ms. */
const WORTH_THE_WAIT_MS = 2_000;

const NONE: ReadonlySet<string> = new Set();

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
  /** Leaves a source alone until then, in ms, whatever it would be worth: the caller knows that it cannot be asked. */
  restUntil(id: string, until: number, now: number): void;
  /** Drops all that is known of a source. */
  forget(id: string): void;
  /** The source where the next call buys most, if that is worth the going price or calls are plentiful; none of `tried`. */
  next(now: number, tokens: Tokens, tried?: ReadonlySet<string>): Candidate | undefined;
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
  /** Whether readers may be made to wait for a refresh of a copy there is. @default true */
  readersWait?: boolean;
  /** How long a reader waits for a refresh before the old copy is served, in ms. @default 500 */
  patienceMs?: number;
  /** Sources that are kept in mind; those unseen for longest are dropped. @default 10_000 */
  maxSources?: number;
}

/** Makes the planner that spends the key's calls where readers gain most. */
export function createRefreshPlanner(options: RefreshPlannerOptions): RefreshPlanner {
  return new DemandPlanner(options);
}

class DemandPlanner implements RefreshPlanner {
  readonly #records: SourceRecords;
  readonly #minAgeMs: number;
  readonly #readersWait: boolean;
  readonly #going: GoingPrice;
  readonly #promptness: Promptness;

  constructor(options: RefreshPlannerOptions) {
    const { windowMs, callsPerWindow, minAgeMs, readersWait = true, patienceMs = 500, maxSources = 10_000 } = options;
    for (const [name, value] of Object.entries({ windowMs, callsPerWindow, maxSources }))
      if (!(value > 0)) throw new RangeError(`Cannot plan refreshes: ${name} is ${value}, not above 0`);
    if (!(minAgeMs >= 0)) throw new RangeError(`Cannot plan refreshes: minAgeMs is ${minAgeMs}, not 0 or above`);
    this.#minAgeMs = minAgeMs;
    this.#promptness = new Promptness(patienceMs);
    this.#records = new SourceRecords(maxSources);
    this.#readersWait = readersWait;
    this.#going = new GoingPrice(windowMs, { left: callsPerWindow, capacity: callsPerWindow }, readersWait);
  }

  sawView(id: string, now: number): void {
    this.#records.of(id, now).sawView(now);
  }

  watched(id: string, readers: number, now: number): void {
    this.#records.of(id, now).watchedBy(Math.max(0, readers), now);
  }

  asked(id: string, now: number): void {
    this.#records.of(id, now).asked(now);
    this.#going.passTo(now);
    this.#going.spend();
  }

  refreshed(id: string, now: number, { changed }: { changed: boolean }): void {
    this.#timed(id, now);
    this.#records.refreshed(id, now, changed);
  }

  failed(id: string, now: number): void {
    this.#promptness.answered(Infinity);
    this.#records.failed(id, now);
  }

  restUntil(id: string, until: number, now: number): void {
    this.#records.of(id, now).restUntil(until);
  }

  forget(id: string): void {
    this.#records.forget(id);
  }

  next(now: number, tokens: Tokens, tried: ReadonlySet<string> = NONE): Candidate | undefined {
    this.#going.passTo(now, tokens);
    return tokens.left >= 1 && this.#going.hasForPlan ? this.#best(now, tried) : undefined;
  }

  worthWaiting(id: string, now: number, tokens: Tokens): boolean {
    const record = this.#records.find(id);
    if (record?.refreshedAt === undefined) return true;
    if (!this.#readersWait || tokens.left < 1) return false;
    if (record.isResting(now) || record.ageMs(now) < this.#minAgeMs) return false;
    const staleness = record.staleness(now);
    if (staleness * this.#promptness.share < WORTH_THE_WAIT_MS) return false;
    return record.worth(now) + staleness >= this.#going.perCall;
  }

  explain(id: string, now: number): RefreshFacts | undefined {
    const record = this.#records.find(id);
    return record && refreshFacts(record, now, { price: this.#going.perCall, minAgeMs: this.#minAgeMs });
  }

  price(): number {
    return this.#going.perCall;
  }

  #timed(id: string, now: number): void {
    const tookMs = this.#records.find(id)?.askedForMs(now);
    if (tookMs !== undefined) this.#promptness.answered(tookMs);
  }

  #best(now: number, tried: ReadonlySet<string>): Candidate | undefined {
    let best: Candidate | undefined;
    let offer = 0;
    for (const [id, record] of this.#records) {
      if (tried.has(id) || !record.isDue(now, this.#minAgeMs)) continue;
      const worth = record.worth(now);
      offer = Math.max(offer, worth);
      if (best !== undefined && worth <= best.worth) continue;
      const reason = this.#reasonFor(record, worth, now);
      if (reason !== undefined) best = { id, worth, reason };
    }
    if (offer > 0) this.#going.offered(offer);
    return best;
  }

  #reasonFor(record: SourceRecord, worth: number, now: number): Candidate['reason'] | undefined {
    if (worth === Infinity) return 'never-asked';
    if (worth >= this.#going.perCall) return 'worth-the-price';
    return this.#going.isPlentiful && record.isSeen(now, WARM_MS) ? 'tokens-plentiful' : undefined;
  }
}
