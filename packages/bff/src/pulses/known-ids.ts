import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';

/** The maximum number of IDs from permissions. The oldest are forgotten first. */
const MAX_ALLOWED = 10_000;

/**
 * What a request may see: `'*'` is every source that the service or the operator lists; a set is exactly those sources;
 * `'all'` is the operator, who also sees sources that are known only through another reader's permissions.
 */
export type AllowedSources = '*' | 'all' | ReadonlySet<string>;

/**
 * The IDs that may be requested: those that the operator lists, that have ever been in the list, or that a reader's
 * permissions contain. No other ID ever triggers a call.
 */
export class KnownIds {
  /** Whether an ID becomes known when it is in the list. */
  readonly followsList: boolean;
  readonly #named: ReadonlySet<string>;
  readonly #listed: LRUCache<string, true> | undefined;
  readonly #allowed = new LRUCache<string, true>({ max: MAX_ALLOWED });

  /** `onceListed`: the IDs that have ever been in the list, which become known if the operator configured `listed`. */
  constructor({ listed, ids }: Config['sources'], onceListed: LRUCache<string, true>) {
    this.followsList = listed;
    this.#named = new Set(ids);
    this.#listed = listed ? onceListed : undefined;
  }

  /** Whether an ID is known and a request may see it. */
  has(id: string, allowed: AllowedSources = 'all'): boolean {
    if (typeof allowed !== 'string') return allowed.has(id);
    return this.#named.has(id) || this.#listed?.has(id) || (allowed === 'all' && this.#allowed.has(id));
  }

  /** Adds IDs from a token or from the application to the known IDs. */
  allow(ids: Iterable<string>): void {
    for (const id of ids) this.#allowed.set(id, true);
  }

  /** Forgets the IDs from permissions. */
  clear(): void {
    this.#allowed.clear();
  }

  get all(): readonly string[] {
    return [...new Set([...this.#named, ...(this.#listed?.rkeys() ?? []), ...this.#allowed.rkeys()])];
  }
}
