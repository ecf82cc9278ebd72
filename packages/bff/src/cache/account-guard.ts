import { createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { AnswerOwner } from '../upstream/upstream.ts';
import type { CacheStore, Restored } from './cache-store.ts';

export interface AccountGuardOptions {
  readonly store: CacheStore;
  /** Names the key in use without revealing it. */
  readonly keyName: () => string;
  /** Called when saved answers turn out to belong to the key's account, so that they may be served. */
  readonly onRestored: (restored: Restored) => void;
  /** Called with the ids that were known when all answers have been dropped. */
  readonly onPurge: (knownIds: readonly string[]) => void;
}

/**
 * Keeps the answers of one account apart from those of another (spec, "Authentication", 2). Compares the account that an
 * answer names with that of the cached answers; where they differ, drops all of them before the answer is used.
 */
export class AccountGuard {
  readonly #options: AccountGuardOptions;
  /** Names of keys that are known to belong to the account. */
  readonly #keys = new Set<string>();
  /** True once an answer is cached, or was saved by an earlier process. */
  #isBound = false;
  #isAccount: ((account: string) => boolean) | undefined;
  #account: string | undefined;

  constructor(options: AccountGuardOptions) {
    this.#options = options;
  }

  /** The owner of the cached answers; undefined while the key in use is not known to belong to their account. */
  get owner(): AnswerOwner | undefined {
    const keyName = this.#options.keyName();
    return this.#keys.has(keyName) ? { account: this.#account, keyName } : undefined;
  }

  /** Restores what an earlier process saved, if the key in use is known to belong to its account; else the first answer decides. */
  async restore(): Promise<void> {
    const { store, keyName } = this.#options;
    const saved = await store.load();
    if (!saved) return;
    this.#isBound = true;
    this.#isAccount = (account) => saved.isAccount(account);
    if (!saved.hasKey(keyName())) return;
    this.#keys.add(keyName());
    this.#restoreStore();
  }

  /**
   * Returns whether an answer may be cached; drops the answers of another account first. `owner`: undefined for an absence,
   * which names no account.
   */
  accepts(owner: AnswerOwner | undefined): boolean {
    if (!owner) return !this.#isBound || this.owner !== undefined;
    if (!this.#isBound || this.#isSame(owner)) this.#confirm(owner);
    // An answer to a key that has been replaced since.
    else if (owner.keyName !== this.#options.keyName()) return false;
    else this.#replace(owner);
    return true;
  }

  /** Whether answers of other instances to the key in use may be cached: it is known to belong to the account, or nothing is cached. */
  get isSharing(): boolean {
    return !this.#isBound || this.#keys.has(this.#options.keyName());
  }

  /** The same for an answer of another instance, which names no account: it is of its key's account. */
  acceptsShared(keyName: string): boolean {
    if (keyName !== this.#options.keyName() || !this.isSharing) return false;
    this.#isBound = true;
    this.#keys.add(keyName);
    return true;
  }

  /** A key belongs to one account: an answer that names none, or the first that names one, is of its key's account. */
  #isSame({ account, keyName }: AnswerOwner): boolean {
    if (account !== undefined && this.#isAccount) return this.#isAccount(account);
    return this.#keys.has(keyName);
  }

  #confirm(owner: AnswerOwner): void {
    this.#bind(owner);
    this.#restoreStore();
  }

  #restoreStore(): void {
    const restored = this.#options.store.restore();
    if (restored) this.#options.onRestored(restored);
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

/** Keys of the account in memory: more than are in use while one is replaced. */
const KEYS = 4;

/** Length of salts and digests, in bytes. */
const DIGEST_BYTES = 16;

/** A salt, or a digest with it, as text. */
export const digestSchema = z.string().regex(/^[A-Za-z0-9_-]{22}$/);

/** The account whose answers a folder holds, and its keys, as digests with the folder's own salt. */
export const accountFactsSchema = z.object({
  salt: digestSchema,
  account: digestSchema,
  keys: z.array(digestSchema).max(KEYS),
});

type AccountFacts = z.infer<typeof accountFactsSchema>;

/** Identifies an account and its keys by salted digests, which can only be compared. */
export class AccountFingerprint {
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

  /** Returns whether the key of this name is known to belong to the account. */
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
