import type { AnswerOwner } from '../upstream/answer.ts';
import type { ApiKeyState } from '../upstream/api-key-status.ts';
import type { AnswerFolder, SavedState } from './answer-folder.ts';

/** How many of the account's keys are remembered across restarts. A rotation uses fewer. */
const MAX_KEYS = 4;

export interface AccountGuardOptions {
  readonly folder: AnswerFolder | undefined;
  /** Identifies the current key without revealing it. */
  readonly keyName: () => string;
  /**
   * Called with an earlier process's saved state, once that state is known to belong to the key's account.
   */
  readonly onRestore: (saved: SavedState) => void;
  /** Drops all answers. */
  readonly onPurge: () => void;
}

/**
 * Keeps answers from different accounts apart (spec, "Authentication", 2). Compares the account that an answer names
 * with the account that the cached answers belong to. Drops all cached answers before it uses an answer from a
 * different account.
 */
export class AccountGuard {
  readonly #options: AccountGuardOptions;
  /** Names of keys that are known to belong to the account. */
  readonly #keys = new Set<string>();
  /** Names the account; undefined until an answer has named it. */
  #account: string | undefined;
  /**
   * Whether the account of the cached answers is fixed. The account is fixed once an answer is cached or an earlier
   * process has saved one.
   */
  #isBound = false;
  /** The state that an earlier process saved, until it may be used. */
  #saved: SavedState | undefined;

  constructor(options: AccountGuardOptions) {
    this.#options = options;
  }

  /** Names the key in use. */
  get keyName(): string {
    return this.#options.keyName();
  }

  /** Names the account. If no answer has named an account yet, names the key in use. */
  get name(): string {
    return this.#account ?? this.keyName;
  }

  /** Whether the key in use is known to belong to the account of the cached answers. */
  get isKeyOfAccount(): boolean {
    return this.#keys.has(this.keyName);
  }

  /**
   * Whether answers are shared with other instances that use the same key. Answers are shared if the key is known to
   * belong to the account, or if nothing is cached.
   */
  get takesSharedAnswers(): boolean {
    return !this.#isBound || this.isKeyOfAccount;
  }

  /**
   * Restores an earlier process's answers if the key in use belongs to the same account. If the account of the key is
   * unknown, the first answer decides.
   */
  async restore(): Promise<void> {
    const saved = await this.#options.folder?.load();
    if (!saved) return;
    [this.#isBound, this.#account, this.#saved] = [true, saved.account, saved];
    for (const key of saved.keys) this.#keys.add(key);
    if (!this.isKeyOfAccount) return;
    this.#options.folder?.belongsTo(saved.account, saved.keys);
    this.#restoreSaved();
  }

  /**
   * Binds the cache to an answer's account. Answers from any other account are dropped first. Returns whether the
   * answer may be cached. `isAbsence`: the service has no pulse, so its answer has no account.
   */
  bindTo(owner: AnswerOwner, { isAbsence }: { readonly isAbsence: boolean }): boolean {
    if (isAbsence) return this.#isBound ? this.#keys.has(owner.keyName) : owner.keyName === this.keyName;
    const isSame = !this.#isBound || this.#isSame(owner);
    // The key was replaced while the call was under way.
    if (!isSame && owner.keyName !== this.keyName) return false;
    if (!isSame) this.#purge();
    this.#remember(owner);
    this.#restoreSaved();
    return true;
  }

  /**
   * Like `bindTo()`, for an answer that another instance stored under the current key. Such an answer belongs to the
   * account of that key.
   */
  bindToShared(account: string | undefined): boolean {
    if (!this.takesSharedAnswers) return false;
    this.#isBound = true;
    this.#account ??= account;
    this.#keys.add(this.keyName);
    return true;
  }

  /** Saves how long the key has been refused. */
  saveKeyState({ state, refusedForMs }: ApiKeyState): void {
    if (state !== 'untried') this.#options.folder?.saveRefusal(refusedForMs);
  }

  /**
   * Each key belongs to one account. If an answer's account can't be compared, the answer belongs to the account of the
   * key that the call used.
   */
  #isSame({ account, keyName }: AnswerOwner): boolean {
    if (account !== undefined && this.#account !== undefined) return account === this.#account;
    return this.#keys.has(keyName);
  }

  #remember({ account, keyName }: AnswerOwner): void {
    this.#isBound = true;
    this.#keys.delete(keyName);
    this.#keys.add(keyName);
    this.#account ??= account;
    this.#options.folder?.belongsTo(this.#account ?? keyName, [...this.#keys].slice(-MAX_KEYS));
  }

  #restoreSaved(): void {
    const saved = this.#saved;
    this.#saved = undefined;
    if (saved) this.#options.onRestore(saved);
  }

  #purge(): void {
    this.#options.onPurge();
    this.#options.folder?.clear();
    this.#keys.clear();
    this.#saved = undefined;
    this.#account = undefined;
  }
}
