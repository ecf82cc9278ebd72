import { sql } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { RateLimit, WindowLog, WindowState } from './sliding-window-log.ts';

/** Settings for a `SharedWindowLog`. */
export interface SharedWindowLogOptions {
  /** Unix time. @default the database's clock, which all instances share */
  nowMs?: (() => number) | undefined;
}

/** Inactive callers are removed once per this many calls, which is rare enough that the cost is negligible. */
const SWEEP_EVERY = 1_000;

const DATABASE_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::double precision`;

/**
 * The sliding-window log that several instances share in PostgreSQL. It uses one statement per call and one row per
 * caller.
 */
export class SharedWindowLog implements WindowLog {
  readonly #db: Database;
  readonly #limit: RateLimit;
  readonly #nowMs: (() => number) | undefined;
  #callsUntilSweep = SWEEP_EVERY;

  constructor(db: Database, limit: RateLimit, { nowMs }: SharedWindowLogOptions = {}) {
    this.#db = db;
    this.#limit = limit;
    this.#nowMs = nowMs;
  }

  async take(caller: string): Promise<WindowState> {
    await this.#sweepSometimes();
    const { limit, windowMs } = this.#limit;
    const now = this.#now();
    // The row stays locked from the conflict until the transaction ends, so the calls from all instances queue up here.
    const { rows } = await sql<WindowState>`
      insert into rate_windows as w (caller, calls, granted) values (${caller}, array[${now}], true)
      on conflict (caller) do update set (calls, granted) = (
        select case when n < ${limit} then kept || t.now else kept end, n < ${limit}
        from (select ${now} as now) t, lateral (
          select coalesce(array_agg(at order by at), '{}') as kept, count(*) as n
          from unnest(w.calls) at where at > t.now - ${windowMs}::double precision
        ) k
      )
      returning granted, cardinality(calls) as used,
        greatest(0, calls[1] + ${windowMs}::double precision - ${now}) as "resetInMs"`.execute(this.#db);
    const [state] = rows;
    if (state === undefined) throw new Error('Can’t count a call: the database returned no row');
    return state;
  }

  #now() {
    return this.#nowMs === undefined ? DATABASE_NOW : sql<number>`${this.#nowMs()}::double precision`;
  }

  async #sweepSometimes(): Promise<void> {
    this.#callsUntilSweep -= 1;
    if (this.#callsUntilSweep > 0) return;
    this.#callsUntilSweep = SWEEP_EVERY;
    await sql`delete from rate_windows
      where calls[cardinality(calls)] <= ${this.#now()} - ${this.#limit.windowMs}::double precision`.execute(this.#db);
  }
}
