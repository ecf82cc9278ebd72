import type { StoredText } from '../lib/stored-text.ts';
import type { CallBudget } from '../upstream/call-budget.ts';
import type { Entry } from './entry-format.ts';

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
  load(target: string): Promise<Entry | undefined>;
  save(target: string, entry: Entry): void;
  /** Claims the next call for a target. Returns false while another instance is making it. */
  lock(target: string, forMs: number): Promise<boolean>;
  /** Releases the claim if this instance holds it. */
  unlock(target: string): void;
  /** Text that outlives this process. */
  text(name: string): StoredText;
  status(): RedisStatus;
  close(): void;
}
