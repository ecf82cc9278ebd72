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
export class KnownSources {
  readonly #rule: SourceRule;
  readonly #named: ReadonlySet<string>;
  readonly #met = new Set<string>();

  constructor(rule: SourceRule) {
    this.#rule = rule;
    this.#named = new Set(rule.ids);
  }

  has(sourceId: string): boolean {
    return this.#named.has(sourceId) || this.#met.has(sourceId);
  }

  /** Says whether the list may show this id. */
  mayList(sourceId: string): boolean {
    return this.#rule.listed || this.#named.has(sourceId);
  }

  get triesStrangers(): boolean {
    return this.#rule.any;
  }

  /** True where a list not yet seen could make an id known. */
  get followsList(): boolean {
    return this.#rule.listed;
  }

  /** Takes in ids that the list showed; true where one of them is new. */
  listed(sourceIds: Iterable<string>): boolean {
    return this.#rule.listed && this.#meet(sourceIds);
  }

  /** Takes in a stranger that has a pulse. */
  found(sourceId: string): boolean {
    return this.#rule.any && this.#meet([sourceId]);
  }

  /** Forgets all but what the operator names. */
  clear(): void {
    this.#met.clear();
  }

  /** Ids met at run time, to be remembered over restarts; those met last come last. */
  get met(): Iterable<string> {
    return this.#met;
  }

  get all(): Iterable<string> {
    return new Set([...this.#named, ...this.#met]);
  }

  #meet(sourceIds: Iterable<string>): boolean {
    let isNew = false;
    for (const id of sourceIds) {
      isNew = !this.#met.delete(id) || isNew;
      this.#met.add(id);
    }
    for (const id of this.#met) {
      if (this.#met.size <= MAX_DISCOVERED) break;
      this.#met.delete(id);
    }
    return isNew;
  }
}
