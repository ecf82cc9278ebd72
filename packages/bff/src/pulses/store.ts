import type { CallBudget } from '../upstream/budget.ts';
import type { KeptText } from '../lib/kept-text.ts';
import type { Content } from '../upstream/target.ts';

/** A response as it is stored outside the process. */
export interface KeptAnswer {
  readonly value: Content;
  /** In ms since the Unix epoch. */
  readonly requestedAtMs: number;
  /** How long ago it was requested, in ms. */
  readonly ageMs: number;
  /** A digest of the account; undefined if no response has identified one. */
  readonly account: string | undefined;
  /** Identifies the key that the response was requested with. */
  readonly keyName: string;
  /** For the list: the IDs that were on earlier lists. */
  readonly listed?: readonly string[];
}

/** The state of the connection to Redis, as `/status` shows it. */
export interface RedisStatus {
  /** `joined`: all instances share one budget. `lost`: this instance uses its own, which started empty. */
  readonly state: 'joined' | 'lost';
  /**
   * Why it is lost: a `FailureCode`, or `redis_login`, `redis_acl`, `redis_database`, `redis_readonly`, `redis_full`, …
   */
  readonly fault?: string | undefined;
  readonly lostForMs: number;
  readonly losses: number;
  readonly evictionPolicy: string | null;
}

/** What all instances share. No method rejects or waits long; while the storage can't be reached, nothing is shared. */
export interface SharedStore {
  readonly budget: CallBudget;
  load(target: string): Promise<KeptAnswer | undefined>;
  save(target: string, answer: KeptAnswer): void;
  /** Claims the next call for a target. Returns false while another instance is making it. */
  lock(target: string, forMs: number): Promise<boolean>;
  unlock(target: string): void;
  /** Text that outlives this process. */
  text(name: string): KeptText;
  status(): RedisStatus;
  close(): void;
}
