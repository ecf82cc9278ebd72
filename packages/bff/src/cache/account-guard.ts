import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AnswerOwner } from '../upstream/port.ts';
import type { CacheStore, Restored } from './cache-store.ts';

/** Whose answers an earlier process saved. */
export interface SavedAccount {
  isAccount(account: string): boolean;
  /** Whether a key of this name is known to be of that account. */
  hasKey(keyName: string): boolean;
}

export interface AccountGuardOptions {
  readonly store: CacheStore;
  /** The key in use, by a name that does not tell it. */
  readonly keyName: () => string;
  /** Told when saved answers turn out to be of the key's account, and may be served from now on. */
  readonly onRestored: (restored: Restored) => void;
  /** Told when all that was kept has been dropped, and which ids were known. */
  readonly onPurge: (knownIds: readonly string[]) => void;
  /** Told when a key turns out to be of the account whose answers are kept. */
  readonly onConfirmed: () => void;
}

/**
 * Keeps answers of one account apart from those of another (spec, "Authentication", 2). The account that an answer names is
 * compared with that of the answers which are kept; where it is another, all of them are dropped before the answer is used.
 */
export class AccountGuard {
  readonly #options: AccountGuardOptions;
  /** Keys that are known to be of the account, by name. */
  readonly #keys = new Set<string>();
  /** True once an answer was kept, or saved by an earlier process. */
  #isBound = false;
  #isAccount: ((account: string) => boolean) | undefined;
  #account: string | undefined;

  constructor(options: AccountGuardOptions) {
    this.#options = options;
  }

  /** Who the kept answers are shared as; undefined while the key in use is not known to be of their account. */
  get owner(): AnswerOwner | undefined {
    const keyName = this.#options.keyName();
    return this.#keys.has(keyName) ? { account: this.#account, keyName } : undefined;
  }

  /** Takes up what an earlier process saved: at once where the key in use was of its account, else once an answer says so. */
  async restore(): Promise<Restored | undefined> {
    const { store, keyName } = this.#options;
    const saved = await store.load();
    if (!saved) return undefined;
    this.#isBound = true;
    this.#isAccount = (account) => saved.isAccount(account);
    if (!saved.hasKey(keyName())) return undefined;
    this.#keys.add(keyName());
    return store.restore();
  }

  /**
   * Whether an answer of the service may be kept; drops what is kept of another account first. `owner`: undefined for an
   * answer that names none by its nature, as an absence does.
   */
  accepts(owner: AnswerOwner | undefined): boolean {
    if (!owner) return !this.#isBound || this.owner !== undefined;
    if (!this.#isBound || this.#isSame(owner)) this.#confirm(owner);
    // An answer to a key that has been replaced since.
    else if (owner.keyName !== this.#options.keyName()) return false;
    else this.#replace(owner);
    return true;
  }

  /** The same for what another instance was answered: what this one was answered to the same key is known better. */
  acceptsShared(owner: AnswerOwner): boolean {
    const isContradicted = this.#keys.has(owner.keyName) && !this.#isSame(owner);
    return !isContradicted && this.accepts(owner);
  }

  /** One key has one account: an answer that names none, or the first that names one, is of the account of its key. */
  #isSame({ account, keyName }: AnswerOwner): boolean {
    if (account !== undefined && this.#isAccount) return this.#isAccount(account);
    return this.#keys.has(keyName);
  }

  #confirm(owner: AnswerOwner): void {
    const { store, onRestored, onConfirmed } = this.#options;
    const isChange = this.#isBound && !this.#keys.has(owner.keyName);
    this.#bind(owner);
    const restored = store.restore();
    if (restored) onRestored(restored);
    if (isChange) onConfirmed();
  }

  #replace(owner: AnswerOwner): void {
    const { store, onPurge } = this.#options;
    const knownIds = [...store.ids.all];
    store.clear();
    onPurge(knownIds);
    this.#keys.clear();
    [this.#account, this.#isAccount] = [undefined, undefined];
    this.#bind(owner);
  }

  #bind(owner: AnswerOwner): void {
    const { account, keyName } = owner;
    this.#isBound = true;
    this.#keys.add(keyName);
    if (account !== undefined) [this.#account, this.#isAccount] = [account, (other) => other === account];
    this.#options.store.belongsTo(owner);
  }
}

/** Keys that are remembered as those of the account: more than are in use while one is replaced. */
const KEYS = 4;

/** Length of salts and digests, in bytes. */
const DIGEST_BYTES = 16;

/** A salt, or a digest with it, as text. */
export const digestSchema = z.string().regex(/^[A-Za-z0-9_-]{22}$/);

/** Whose answers a folder holds: account and keys as digests with a salt of the folder's own. */
export const accountFactsSchema = z.object({
  salt: digestSchema,
  account: digestSchema,
  keys: z.array(digestSchema).max(KEYS),
});

type AccountFacts = z.infer<typeof accountFactsSchema>;

/** Whose answers a folder holds, told by nothing but a comparison. */
export class AccountFingerprint implements SavedAccount {
  readonly facts: AccountFacts;

  constructor({ salt, account, keys }: AccountFacts) {
    this.facts = { salt, account, keys };
  }

  static of({ account = '', keyName }: AnswerOwner): AccountFingerprint {
    const salt = randomBytes(DIGEST_BYTES).toString('base64url');
    return new AccountFingerprint({ salt, account: digestOf(salt, account), keys: [digestOf(salt, keyName)] });
  }

  isAccount(account: string): boolean {
    return this.facts.account === digestOf(this.facts.salt, account);
  }

  hasKey(keyName: string): boolean {
    return this.facts.keys.includes(digestOf(this.facts.salt, keyName));
  }

  withKey(keyName: string): AccountFingerprint {
    const { salt, account, keys } = this.facts;
    return new AccountFingerprint({ salt, account, keys: [...keys, digestOf(salt, keyName)].slice(-KEYS) });
  }
}

function digestOf(salt: string, text: string): string {
  return createHmac('sha256', salt).update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}
