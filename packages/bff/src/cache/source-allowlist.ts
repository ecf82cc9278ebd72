import type { SourceRule } from '../lib/source-rule.ts';

/** The maximum number of listed ids in memory, and of admitted ids. The oldest are forgotten first. */
export const MAX_LISTED = 5_000;
export const MAX_ADMITTED = 10_000;

/**
 * The ids that may be requested. The operator named them, they were once on the list, or they were admitted. No other
 * id causes a call.
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

  /** Whether the list makes ids known. */
  get followsList(): boolean {
    return this.#rule.listed;
  }

  /** Records ids of the list. */
  addListed(sourceIds: Iterable<string>): void {
    if (this.#rule.listed) addNewest(this.#listed, sourceIds, MAX_LISTED);
  }

  /** Makes ids known that one reader may see because of a token or the application. They appear on no list. */
  admit(sourceIds: Iterable<string>): void {
    addNewest(this.#admitted, sourceIds, MAX_ADMITTED);
  }

  /** Forgets all ids except the ones that the operator names. */
  clear(): void {
    this.#listed.clear();
    this.#admitted.clear();
  }

  /** Ids that were on the list, to be saved across restarts. The latest comes last. */
  get listed(): Iterable<string> {
    return this.#listed;
  }

  get all(): Iterable<string> {
    return new Set([...this.#named, ...this.#listed, ...this.#admitted]);
  }
}

/** Adds `sourceIds` as the newest; the oldest beyond `max` are removed. */
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
