import type { SourceRule } from '../lib/source-rule.ts';

/**
 * The maximum number of listed ids, and of admitted ids, that are kept in memory. The oldest ids are forgotten first.
 */
export const MAX_LISTED = 5_000;
export const MAX_ADMITTED = 10_000;

/**
 * The ids that may be requested. Such an id was named by the operator, was once on the list, or was admitted by a
 * reader's rights. Other ids never cause a call.
 */
export class SourceAllowlist {
  readonly #rule: SourceRule;
  readonly #named: ReadonlySet<string>;
  readonly #listed = new Set<string>();
  readonly #admitted = new Set<string>();

  constructor(rule: SourceRule) {
    this.#rule = rule;
    this.#named = new Set(rule.ids);
  }

  has(sourceId: string): boolean {
    return this.#named.has(sourceId) || this.#listed.has(sourceId) || this.#admitted.has(sourceId);
  }

  /** Returns whether this id is known only through one reader's rights. */
  isAdmittedOnly(sourceId: string): boolean {
    return this.#admitted.has(sourceId) && !this.#named.has(sourceId) && !this.#listed.has(sourceId);
  }

  /** Returns whether this id may appear on the list. */
  allowsListing(sourceId: string): boolean {
    return this.#rule.listed || this.#named.has(sourceId);
  }

  /** Whether an id becomes known when it is on the list. */
  get followsList(): boolean {
    return this.#rule.listed;
  }

  /** Records the ids of a list. */
  addListed(sourceIds: Iterable<string>): void {
    if (this.#rule.listed) addNewest(this.#listed, sourceIds, MAX_LISTED);
  }

  /**
   * Makes ids known, because a token or the application allows one reader to see them. Such ids don't appear on any
   * list.
   */
  admit(sourceIds: Iterable<string>): void {
    addNewest(this.#admitted, sourceIds, MAX_ADMITTED);
  }

  /** Forgets all ids except the ones that the operator names. */
  clear(): void {
    this.#listed.clear();
    this.#admitted.clear();
  }

  /** Ids that were on the list. Saved across restarts. The latest comes last. */
  get listed(): Iterable<string> {
    return this.#listed;
  }

  get all(): Iterable<string> {
    return new Set([...this.#named, ...this.#listed, ...this.#admitted]);
  }
}

/** Adds `sourceIds` as the newest ids. If there are more than `max`, the oldest are removed. */
function addNewest(ids: Set<string>, sourceIds: Iterable<string>, max: number): void {
  for (const id of sourceIds) {
    ids.delete(id);
    ids.add(id);
  }
  for (const id of ids) {
    if (ids.size <= max) break;
    ids.delete(id);
  }
}
