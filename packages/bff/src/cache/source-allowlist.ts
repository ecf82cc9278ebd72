/** Which ids readers may request (`PULSE_SOURCES`). */
export interface SourceRule {
  /** Allows every id that was ever on the list. */
  readonly listed: boolean;
  /** Ids that are allowed by name. */
  readonly ids: readonly string[];
  /** Requests unknown ids from the upstream, too. */
  readonly any: boolean;
}

/** Discovered ids in memory; those that were not on the list for longest are forgotten first. */
export const MAX_DISCOVERED = 5_000;

/** The known ids: named by the operator, once on the list, or discovered. */
export class SourceAllowlist {
  readonly #rule: SourceRule;
  readonly #named: ReadonlySet<string>;
  readonly #discovered = new Set<string>();

  constructor(rule: SourceRule) {
    this.#rule = rule;
    this.#named = new Set(rule.ids);
  }

  has(sourceId: string): boolean {
    return this.#named.has(sourceId) || this.#discovered.has(sourceId);
  }

  /** Returns whether this id may appear on the list. */
  allowsListing(sourceId: string): boolean {
    return this.#rule.listed || this.#named.has(sourceId);
  }

  get allowsUnknown(): boolean {
    return this.#rule.any;
  }

  /** Whether the list makes ids known. */
  get followsList(): boolean {
    return this.#rule.listed;
  }

  /** Records ids of the list; returns whether one of them is new. */
  addListed(sourceIds: Iterable<string>): boolean {
    return this.#rule.listed && this.#addDiscovered(sourceIds);
  }

  /** Records an unknown id that has a pulse; returns whether it is new. */
  discover(sourceId: string): boolean {
    return this.#rule.any && this.#addDiscovered([sourceId]);
  }

  /** Forgets all ids but those that the operator names. */
  clear(): void {
    this.#discovered.clear();
  }

  /** Ids found at run time, to be saved over restarts; the latest comes last. */
  get discovered(): Iterable<string> {
    return this.#discovered;
  }

  get all(): Iterable<string> {
    return new Set([...this.#named, ...this.#discovered]);
  }

  #addDiscovered(sourceIds: Iterable<string>): boolean {
    let isNew = false;
    for (const id of sourceIds) {
      isNew = !this.#discovered.delete(id) || isNew;
      this.#discovered.add(id);
    }
    for (const id of this.#discovered) {
      if (this.#discovered.size <= MAX_DISCOVERED) break;
      this.#discovered.delete(id);
    }
    return isNew;
  }
}
