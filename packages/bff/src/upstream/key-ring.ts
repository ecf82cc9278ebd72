import { createSecretKey, type KeyObject } from 'node:crypto';
import { ApiKey } from '../lib/api-key.ts';
import { type Clock, repeat } from '../lib/clock.ts';

/** The time between two attempts with a new key that was refused, while the previous key works. */
const TRY_AGAIN_MS = 60_000;

/** How long a refused call waits until the key file is read, in ms. The file may be on a network drive. */
const READ_WITHIN_MS = 1_000;

/**
 * The state of a key file. Its key is `in_use`, `untried`, or `refused`. If the key is `refused`, the previous key stays
 * in use. The other values say why the file provides no key: it is `missing`, `empty`, `unreadable`, or `invalid`. The
 * last key then stays in use.
 */
export type KeyFileState = 'in_use' | 'untried' | 'refused' | KeyFileFault;

type KeyFileFault = 'missing' | 'empty' | 'unreadable' | 'invalid';

export interface KeyFileStatus {
  readonly state: KeyFileState;
  /** How many new keys the upstream has accepted since startup. */
  readonly takenOver: number;
}

/** A key file, and the settings for detecting its changes. */
export interface KeyFile {
  readonly read: () => Promise<string>;
  readonly clock: Clock;
  /** How often the file is read, in ms. */
  readonly reloadMs: number;
  readonly warn: (message: string) => void;
}

/**
 * Opens a key file and reads it periodically. The next call after a change uses the new key. If the upstream refuses
 * the new key although the old one worked, the old key stays in use, and the new one is tried once a minute. A mistyped
 * key, or one that isn't active yet, therefore breaks nothing. If the upstream refuses the old key, the file is read
 * immediately. Throws if the file contains no key.
 */
export async function openKeyFile(file: KeyFile): Promise<KeyRing> {
  const key = ApiKey.from(await file.read());
  if (!key)
    throw new Error(
      'Cannot take the key from its file: the file must contain exactly one line of 8 to 256 visible ASCII characters',
    );
  return new KeyRing(key, file);
}

/** Knows the API key in use, before and after a rotation. */
export class KeyRing {
  /** Undefined if the key never changes. */
  readonly #file: KeyFile | undefined;
  readonly #first: ApiKey;
  readonly #listeners = new Set<() => void>();
  /** The newest key from the file. */
  #newest: ApiKey;
  /** The last key that the upstream accepted. This key is in use while the upstream refuses the newest key. */
  #accepted: ApiKey | undefined;
  #isNewestRefused = false;
  #fault: KeyFileFault | undefined;
  #takenOver = 0;
  #lastRead = Promise.resolve();
  readonly #endReads: () => void = () => {};
  #cancelTry: () => void = () => {};

  /** Without `file`, the key never changes. */
  constructor(key: ApiKey, file?: KeyFile) {
    this.#first = this.#newest = key;
    this.#file = file;
    if (file) this.#endReads = repeat(file.clock, file.reloadMs, () => this.#readFile());
  }

  /** The key for the next call. */
  current(): ApiKey {
    return this.#isNewestRefused ? (this.#accepted ?? this.#newest) : this.#newest;
  }

  /** Records that the upstream accepted `key`. Earlier keys are dropped. */
  accepted(key: ApiKey): void {
    if (!key.equals(this.current()) || this.#accepted === this.current()) return;
    this.#accepted = this.#newest;
    if (this.#newest === this.#first) return;
    this.#file?.warn('The service accepts the new key: the previous key may be revoked');
    this.#takenOver += 1;
  }

  /** The state of the key file; undefined if the key isn't read from a file. */
  status(): KeyFileStatus | undefined {
    if (!this.#file) return undefined;
    const accepted = this.#accepted === this.#newest ? 'in_use' : 'untried';
    return { state: this.#fault ?? (this.#isNewestRefused ? 'refused' : accepted), takenOver: this.#takenOver };
  }

  /**
   * Records that the upstream refused `key`. Returns whether a different key is available, so that the call can be
   * retried.
   */
  async refused(key: ApiKey): Promise<boolean> {
    if (!key.equals(this.current())) return true;
    if (this.#accepted && this.#accepted !== this.current()) this.#setRefused();
    else await this.#readSoon();
    return !key.equals(this.current());
  }

  /**
   * Calls `listener` when a new key is in use, but not when the previous key replaces a refused one. The returned
   * function unsubscribes.
   */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Returns the secrets for `purpose`. They are derived from the key in use and the previous key. Instances that use
   * the same key derive the same secrets.
   */
  secretsFor(purpose: string): () => readonly KeyObject[] {
    let key: ApiKey | undefined;
    let secrets: readonly KeyObject[] = [];
    const current = (): readonly KeyObject[] => {
      if (key === this.current()) return secrets;
      key = this.current();
      const secret = createSecretKey(key.derive(purpose));
      return (secrets = [secret, ...secrets.filter((other) => !other.equals(secret)).slice(0, 1)]);
    };
    current();
    this.onChange(current);
    return current;
  }

  close(): void {
    this.#endReads();
    this.#cancelTry();
  }

  async #readSoon(): Promise<void> {
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    const cancel = this.#file?.clock.schedule(READ_WITHIN_MS, resolve);
    await Promise.race([this.#readFile(), timedOut]);
    cancel?.();
  }

  /** Reads the file after pending reads have finished. Older content therefore never replaces newer content. */
  #readFile(): Promise<void> {
    return (this.#lastRead = this.#lastRead.then(async () => {
      if (!this.#file) return;
      const read = await this.#file.read().then(keyIn, faultOf);
      this.#fault = read instanceof ApiKey ? undefined : read;
      if (read instanceof ApiKey && !read.equals(this.#newest)) this.#use(read);
    }));
  }

  #use(key: ApiKey): void {
    const before = this.current();
    this.#cancelTry();
    this.#newest = this.#accepted?.equals(key) ? this.#accepted : key;
    this.#isNewestRefused = false;
    if (!this.current().equals(before)) for (const listener of this.#listeners) listener();
  }

  /** Goes back to the accepted key, and tries the newest key again later. */
  #setRefused(): void {
    const refused = this.#newest;
    this.#isNewestRefused = true;
    this.#cancelTry = this.#file?.clock.schedule(TRY_AGAIN_MS, () => this.#use(refused)) ?? (() => {});
  }
}

function keyIn(text: string): ApiKey | KeyFileFault {
  return ApiKey.from(text) ?? (text.trim() === '' ? 'empty' : 'invalid');
}

function faultOf(cause: unknown): KeyFileFault {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'missing' : 'unreadable';
}
