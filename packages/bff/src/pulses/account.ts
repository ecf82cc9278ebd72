import type { Answer } from '../upstream/upstream.ts';

/** How many of the account's keys are remembered across restarts. A rotation uses fewer. */
const MAX_KEYS = 4;

/** The account that responses belong to: its digest, and the names of keys that are known to belong to it. */
export interface Account {
  /** Undefined until a response has identified an account. */
  readonly digest: string | undefined;
  /** The latest key comes last. */
  readonly keys: readonly string[];
}

/** What a response means for the account of the responses so far. */
export type Ownership = 'same' | 'other-account' | 'unknown-key';

/**
 * Checks whether responses belong to the same account as the responses so far (spec, "Authentication", 2). Each key
 * belongs to one account; a new key may belong to another one.
 */
export class AccountGuard {
  #digest: string | undefined;
  #keys: readonly string[] = [];

  get account(): Account | undefined {
    return this.#keys.length === 0 ? undefined : { digest: this.#digest, keys: this.#keys };
  }

  /** Whether a key is known to belong to the account. */
  hasKey(keyName: string): boolean {
    return this.#keys.includes(keyName);
  }

  /** Identifies the account or, if no response has identified one, the first key. */
  get name(): string | undefined {
    return this.#digest ?? this.#keys[0];
  }

  /** Takes over an account that was saved before. */
  restore({ digest, keys }: Account): void {
    this.#digest = digest;
    this.#keys = keys.slice(-MAX_KEYS);
  }

  /**
   * Compares a response's owner with the account so far. A 404 doesn't identify an account, so it is usable only with a
   * known key. `keyInUse`: a response to a key that was replaced in the meantime doesn't change the account.
   */
  compare({ account, keyName, value }: Pick<Answer, 'account' | 'keyName' | 'value'>, keyInUse: string): Ownership {
    const isFirst = this.#keys.length === 0;
    if (value === null) return this.hasKey(keyName) || (isFirst && keyName === keyInUse) ? 'same' : 'unknown-key';
    if (isFirst) return 'same';
    const isComparable = account !== undefined && this.#digest !== undefined;
    const isSame = isComparable ? account === this.#digest : this.hasKey(keyName);
    if (isSame) return 'same';
    return keyName === keyInUse ? 'other-account' : 'unknown-key';
  }

  /** Records that a key belongs to the account. */
  remember(keyName: string, digest: string | undefined): void {
    this.#digest ??= digest;
    this.#keys = [...this.#keys.filter((name) => name !== keyName), keyName].slice(-MAX_KEYS);
  }

  clear(): void {
    this.#digest = undefined;
    this.#keys = [];
  }
}
