/** Which ids readers may ask for (`PULSE_SOURCES`). */
export interface SourceRule {
  /** Every id that the list has ever shown. */
  readonly listed: boolean;
  /** Ids that the operator names. */
  readonly ids: readonly string[];
  /** Ids nobody knows are tried, too. */
  readonly any: boolean;
}

/** Ids that are remembered beside those that the operator names; those not listed for longest are forgotten first. */
export const MAX_DISCOVERED = 5_000;

/** The ids that are known: named by the operator, shown by the list at some time, or once found. */
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

  /** Returns whether the list may show this id. */
  allowsListing(sourceId: string): boolean {
    return this.#rule.listed || this.#named.has(sourceId);
  }

  get allowsUnknown(): boolean {
    return this.#rule.any;
  }

  /** True where a list not yet seen could make an id known. */
  get followsList(): boolean {
    return this.#rule.listed;
  }

  /** Records ids that the list showed; true where one of them is new. */
  addListed(sourceIds: Iterable<string>): boolean {
    return this.#rule.listed && this.#addDiscovered(sourceIds);
  }

  /** Records an unknown id that has a pulse. */
  discover(sourceId: string): boolean {
    return this.#rule.any && this.#addDiscovered([sourceId]);
  }

  /** Forgets all but what the operator names. */
  clear(): void {
    this.#discovered.clear();
  }

  /** Ids met at run time, to be remembered over restarts; those met last come last. */
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
