import type { Clock } from '../lib/clock.ts';
import { type KeptText, memoryText } from '../lib/kept-text.ts';
import type { Key } from '../upstream/key.ts';
import type { KeyState } from '../upstream/key-state.ts';
import type { Answer } from '../upstream/upstream.ts';
import { AccountGuard, type Ownership } from './account.ts';
import type { Entry } from './entry.ts';
import type { SavedState, StateFolder } from './state-folder.ts';
import type { KeptAnswer, RedisStatus, SharedStore } from './store.ts';

export interface KeeperOptions {
  readonly key: Key;
  readonly keyState: KeyState;
  readonly clock: Clock;
  readonly folder?: StateFolder | undefined;
  readonly store?: SharedStore | undefined;
}

/** What was stored before and may be used now. */
export interface Restored {
  readonly entries: readonly (readonly [target: string, entry: Entry])[];
  /** The IDs that were on earlier lists. */
  readonly listed: readonly string[];
}

/**
 * Stores responses outside the process, in the state folder or in Redis, and separates those of different accounts: a
 * response from an account other than the key's is never used.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #account = new AccountGuard();

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Identifies the account or, if no response has identified one, the key in use. */
  get accountName(): string {
    return this.#account.name ?? this.#options.key.name;
  }

  /** Reads the state folder. Returns what it has stored for the key in use, or nothing if the owner isn't known yet. */
  async restore(): Promise<Restored | undefined> {
    const saved = await this.#options.folder?.load();
    return saved?.account.keys.includes(this.#options.key.name) ? this.#takeSaved() : undefined;
  }

  /** Compares a response's owner with the account of the responses so far. */
  ownershipOf(answer: Answer): Ownership {
    return this.#account.compare(answer, this.#options.key.name);
  }

  /**
   * Records whose responses are stored from now on. Returns what was stored for the same account, if that becomes clear
   * now.
   */
  bind({ keyName, account, value }: Answer): Restored | undefined {
    const wasKnown = this.#account.hasKey(keyName);
    if (value === null && wasKnown) return undefined;
    this.#account.remember(keyName, account);
    const { account: now } = this.#account;
    const restored = wasKnown ? undefined : this.#takeSaved();
    if (now) this.#options.folder?.belongsTo(now);
    return restored;
  }

  /** Forgets everything, because it belongs to another account. */
  forget(): void {
    this.#account.clear();
    this.#options.folder?.clear();
  }

  /** Stores a response that this process received. */
  save(target: string, entry: Entry, listed: readonly string[]): void {
    this.#options.folder?.save(target, entry, listed);
    const ageMs = Math.max(0, this.#options.clock.now() - entry.requestedAt);
    const { value, requestedAtMs, keyName, account } = entry;
    this.#options.store?.save(target, { value, requestedAtMs, ageMs, keyName, account, listed });
  }

  /** Records when the key was first rejected, so that a restart doesn't extend the lifetime of responses. */
  saveKeyState(): void {
    this.#options.folder?.saveRejection(this.#options.keyState.rejectedSince, this.#options.key.name);
  }

  /** What another instance has stored, if it is newer than ours. */
  async fromStore(
    target: string,
    before: Entry | undefined,
  ): Promise<{ entry: Entry; listed: readonly string[] } | undefined> {
    const keyName = this.#options.key.name;
    const kept = await this.#options.store?.load(target);
    if (kept === undefined || keyName !== this.#options.key.name) return undefined;
    if (before !== undefined && !isNewer(kept, before, this.#options.clock.now())) return undefined;
    if (this.#account.account !== undefined && !this.#account.hasKey(keyName)) return undefined;
    if (kept.value !== null) this.#account.remember(keyName, kept.account);
    return { entry: this.#entryOf(kept), listed: kept.listed ?? [] };
  }

  /** Claims the next call for a target. Returns false while another instance is making it. */
  async claim(target: string, forMs: number): Promise<boolean> {
    return (await this.#options.store?.lock(target, forMs)) ?? true;
  }

  release(target: string): void {
    this.#options.store?.unlock(target);
  }

  /** Short named text that outlives the process with Redis or a state folder. */
  text(name: string): KeptText {
    return this.#options.store?.text(name) ?? this.#options.folder?.text(name) ?? memoryText();
  }

  status(): { readonly stateDirFault?: string | null; readonly redis?: RedisStatus } {
    const { folder, store } = this.#options;
    return { ...(folder && { stateDirFault: folder.fault ?? null }), ...(store && { redis: store.status() }) };
  }

  #takeSaved(): Restored | undefined {
    const { folder, key, keyState } = this.#options;
    const saved = folder?.takeSaved();
    if (saved === undefined) return undefined;
    const { account } = this.#account;
    if (account !== undefined && !isSameAccount(saved.account, account)) {
      folder?.clear();
      return undefined;
    }
    this.#account.restore({
      digest: account?.digest ?? saved.account.digest,
      keys: [...saved.account.keys, ...(account?.keys ?? [])],
    });
    if (this.#account.account) folder?.belongsTo(this.#account.account);
    if (saved.rejected?.keyName === key.name) keyState.restore(saved.rejected.since);
    return { listed: saved.listed, entries: saved.answers.map(([target, kept]) => [target, this.#entryOf(kept)]) };
  }

  #entryOf({ value, requestedAtMs, ageMs, keyName, account }: KeptAnswer): Entry {
    const requestedAt = this.#options.clock.now() - ageMs;
    return { value, requestedAt, requestedAtMs, keyName, account, origin: 'kept' };
  }
}

/** The clocks of two machines may differ, so ages are compared. */
function isNewer(kept: KeptAnswer, before: Entry, now: number): boolean {
  return kept.requestedAtMs !== before.requestedAtMs && now - kept.ageMs > before.requestedAt;
}

/** Whether what was saved belongs to the account. Without the digests of both, the keys decide. */
function isSameAccount(saved: SavedState['account'], { digest, keys }: SavedState['account']): boolean {
  if (saved.digest !== undefined && digest !== undefined) return saved.digest === digest;
  return keys.some((name) => saved.keys.includes(name));
}
