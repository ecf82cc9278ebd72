import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { ApiKey } from './api-key.ts';
import { type KeyObject, createSecretKey } from 'node:crypto';

/** How often a refused new key is tried again while the old one works. */
const TRY_AGAIN_MS = 60_000;

/**
 * How the key file is: its key `in_use`, still `untried`, or `refused` while the key before stays in use; or the file is
 * `missing`, `empty`, `unreadable` or `invalid` (no key in it), and the last key stays in use.
 */
export type KeyFileState = 'in_use' | 'untried' | 'refused' | KeyFileFault;

type KeyFileFault = 'missing' | 'empty' | 'unreadable' | 'invalid';

export interface KeyFileStatus {
  readonly state: KeyFileState;
  /** New keys that the upstream has accepted since the start. */
  readonly takenOver: number;
}

/** The key in use, across rotations. */
export interface KeyRing {
  /** The key for the next call. */
  current(): ApiKey;
  /** Records that the upstream accepted `key`; earlier keys are dropped. */
  accepted(key: ApiKey): void;
  /** Records that the upstream refused `key`; returns whether there is another key to retry the call with. */
  refused(key: ApiKey): Promise<boolean>;
  /** Calls `listener` when the key in use changes. The returned function unsubscribes. */
  onChange(listener: () => void): () => void;
  /** The state of the key file; undefined where the key is in no file. */
  status(): KeyFileStatus | undefined;
  close(): void;
}

export interface KeyFileOptions {
  readonly clock: Clock;
  /** How often the file is read, in ms. @default 5000 */
  readonly reloadMs?: number;
  /** @default nothing is logged */
  readonly warn?: (message: string) => void;
  /** Reads the file. @default readFile() of the system */
  readonly read?: (path: string) => Promise<string>;
}

/** A ring with one key that never changes. */
export function fixedKeyRing(key: ApiKey): KeyRing {
  return {
    current: () => key,
    accepted() {},
    refused: async () => false,
    onChange: () => () => {},
    status: () => undefined,
    close() {},
  };
}

/**
 * Opens a key file and reads it periodically. A new key is used from the next call on. If the upstream refuses it while the
 * old one worked, the old key stays in use and the new one is tried once a minute, so that a key that is not active yet, or
 * mistyped, breaks nothing. If the upstream refuses the old key, the file is read at once. Throws where the file holds no key.
 */
export async function openKeyFile(path: string, options: KeyFileOptions): Promise<KeyRing> {
  const { read = (file) => readFile(file, 'utf8') } = options;
  const key = ApiKey.from(await read(path));
  if (!key) throw new Error('Cannot take the key from its file: not one line of 8 to 256 visible ASCII characters');
  return new FileKeyRing(key, () => read(path), options);
}

class FileKeyRing implements KeyRing {
  readonly #read: () => Promise<string>;
  readonly #clock: Clock;
  readonly #reloadMs: number;
  readonly #warn: (message: string) => void;
  readonly #listeners = new Set<() => void>();
  #current: ApiKey;
  #isProven = false;
  /** The previous key, until the upstream accepts the current one. */
  #fallback: ApiKey | undefined;
  /** The newest key of the file while the upstream refuses it and the previous one is in use. */
  #refusedNew: ApiKey | undefined;
  #fault: KeyFileFault | undefined;
  /** The key in use came out of the file after the start. */
  #isNew = false;
  #takenOver = 0;
  #cancel: () => void = () => {};
  #cancelTry: () => void = () => {};
  #closed = false;
  #readsStarted = 0;
  #newestRead = 0;

  constructor(key: ApiKey, read: () => Promise<string>, { clock, reloadMs = 5_000, warn = () => {} }: KeyFileOptions) {
    this.#read = read;
    this.#current = key;
    this.#clock = clock;
    this.#reloadMs = reloadMs;
    this.#warn = warn;
    this.#lookLater();
  }

  current(): ApiKey {
    return this.#current;
  }

  accepted(key: ApiKey): void {
    if (!key.equals(this.#current)) return;
    if (this.#isNew) {
      this.#warn('The upstream accepts the new key: the key before may be revoked');
      this.#takenOver += 1;
    }
    [this.#isProven, this.#isNew] = [true, false];
    if (!this.#refusedNew) this.#fallback = undefined;
  }

  status(): KeyFileStatus {
    const proven = this.#isProven ? 'in_use' : 'untried';
    const state = this.#fault ?? (this.#refusedNew === undefined ? proven : 'refused');
    return { state, takenOver: this.#takenOver };
  }

  async refused(key: ApiKey): Promise<boolean> {
    if (!key.equals(this.#current)) return true;
    if (this.#fallback && !this.#isProven) return this.#fallBack();
    await this.#look();
    return !key.equals(this.#current);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
    this.#cancelTry();
  }

  #lookLater(): void {
    if (!this.#closed)
      this.#cancel = this.#clock.schedule(this.#reloadMs, () => this.#look().finally(() => this.#lookLater()));
  }

  async #look(): Promise<void> {
    const order = (this.#readsStarted += 1);
    const read = await this.#read().then(keyIn, faultOf);
    // Two reads can overlap, and the older one may return last, with the key before.
    if (order < this.#newestRead) return;
    this.#newestRead = order;
    this.#note(read instanceof ApiKey ? undefined : read);
    if (!(read instanceof ApiKey)) return;
    if (!read.equals(this.#current)) {
      if (!this.#refusedNew || !read.equals(this.#refusedNew)) this.#use(read);
    } else if (this.#refusedNew !== undefined) {
      // The refused key was taken out of the file again.
      this.#cancelTry();
      [this.#refusedNew, this.#fallback] = [undefined, undefined];
    }
  }

  /** Logs once that the file cannot be used, and once that it can be again. */
  #note(fault: KeyFileFault | undefined): void {
    if (fault === this.#fault) return;
    this.#warn(
      fault === undefined
        ? 'The key file holds a key again'
        : `Cannot use the key file (${fault}): the key before stays in use`,
    );
    this.#fault = fault;
  }

  #use(key: ApiKey): void {
    if (this.#isProven) this.#fallback = this.#current;
    this.#cancelTry();
    [this.#current, this.#isProven, this.#isNew, this.#refusedNew] = [key, false, true, undefined];
    for (const listener of this.#listeners) listener();
  }

  #fallBack(): boolean {
    if (!this.#fallback) return false;
    const refused = this.#current;
    this.#warn('The upstream refuses the new key: the key before stays in use');
    [this.#current, this.#isProven, this.#isNew, this.#refusedNew] = [this.#fallback, true, false, refused];
    this.#cancelTry = this.#clock.schedule(TRY_AGAIN_MS, () => this.#tryAgain(refused));
    return true;
  }

  #tryAgain(key: ApiKey): void {
    if (this.#refusedNew && key.equals(this.#refusedNew)) this.#use(key);
  }
}

function keyIn(text: string): ApiKey | KeyFileFault {
  return ApiKey.from(text) ?? (text.trim() === '' ? 'empty' : 'invalid');
}

function faultOf(cause: unknown): KeyFileFault {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'missing' : 'unreadable';
}

/** Secrets for `purpose`, derived from the key in use and the one before it; equal in all instances with the same key. */
export function derivedSecrets(keyRing: KeyRing, purpose: string): () => readonly KeyObject[] {
  const secret = (): KeyObject => createSecretKey(keyRing.current().derive(purpose));
  let secrets = [secret()];
  keyRing.onChange(() => (secrets = [secret(), ...secrets.slice(0, 1)]));
  return () => secrets;
}
