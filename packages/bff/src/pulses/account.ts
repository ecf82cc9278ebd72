import type { Answer } from '../upstream/upstream.ts';

/** Who a response belongs to, as far as the response shows. */
type Owned = Pick<Answer, 'account' | 'keyName'>;

/** What a response means for the account that the previous responses belong to. */
export type Ownership = 'same' | 'other-account' | 'unknown-key';

/**
 * Checks whether responses belong to the same account as earlier responses (spec, "Authentication", 2). Each key
 * belongs to one account; a new key may belong to another one.
 */
export class AccountGuard {
  /** A digest; undefined until a response has identified an account. */
  #account: string | undefined;
  /** The names of the keys that are known to belong to the account. */
  readonly #keys = new Set<string>();

  get account(): string | undefined {
    return this.#account;
  }

  /** Identifies the account or, if no response has identified one, the first key. */
  get name(): string | undefined {
    return this.#account ?? [...this.#keys][0];
  }

  /** Whether data that was stored earlier belongs to the account. */
  owns({ account, keyName }: Owned): boolean {
    return this.#keys.has(keyName) || (account !== undefined && account === this.#account);
  }

  /**
   * Checks that a response belongs to the same account as the previous ones. A 404 doesn't identify an account, so it
   * is usable only with a known key. `keyInUse`: if the key was replaced before the response arrived, the response
   * doesn't change the account.
   */
  compare({ account, keyName, value }: Owned & Pick<Answer, 'value'>, keyInUse: string): Ownership {
    const isFirst = this.#keys.size === 0;
    if (value === null) return this.#keys.has(keyName) || (isFirst && keyName === keyInUse) ? 'same' : 'unknown-key';
    if (isFirst) return 'same';
    const isComparable = account !== undefined && this.#account !== undefined;
    const isSame = isComparable ? account === this.#account : this.#keys.has(keyName);
    if (isSame) return 'same';
    return keyName === keyInUse ? 'other-account' : 'unknown-key';
  }

  /** Records that a key belongs to the account. */
  remember({ account, keyName }: Owned): void {
    this.#account ??= account;
    this.#keys.add(keyName);
  }

  clear(): void {
    this.#account = undefined;
    this.#keys.clear();
  }
}
