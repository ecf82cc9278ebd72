import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { KEY_HEADER } from '@pulse-card/contract';
import type { Clock } from '../clock.ts';
import { Secret } from '../secret.ts';

/** One line of visible ASCII, as a header value requires. */
const KEY_PATTERN = /^[\x21-\x7e]{8,256}$/;

/** An API key of the upstream. */
export class ApiKey extends Secret {
  #name: string | undefined;

  /** Parses `text`, which may end in a line break; undefined if it is no key. */
  static from(text: string): ApiKey | undefined {
    const value = text.replace(/\r?\n$/, '');
    return KEY_PATTERN.test(value) ? new ApiKey(value) : undefined;
  }

  /** The request header that carries the key. */
  header(): Record<string, string> {
    return { [KEY_HEADER]: this.reveal() };
  }

  /** Derives a secret of 32 bytes, which does not reveal the key (RFC 5869). */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.reveal(), '', purpose, 32));
  }

  /** Names the key without revealing it: equal for equal keys in all processes, and only the key's owner can compute it. */
  get name(): string {
    this.#name ??= this.derive('pulse-card key name 1').toString('base64url').slice(0, 22);
    return this.#name;
  }

  equals(other: ApiKey): boolean {
    return this.reveal() === other.reveal();
  }
}

/** How often a refused new key is tried again while the old one works. */
const TRY_AGAIN_MS = 60_000;

/**
 * The state of a key file: its key is `in_use`, still `untried`, or `refused` while the key before stays in use; or the file is
 * `missing`, `empty`, `unreadable` or `invalid` (no key in it), and the last key stays in use.
 */
export type KeyFileState = 'in_use' | 'untried' | 'refused' | KeyFileFault;

type KeyFileFault = 'missing' | 'empty' | 'unreadable' | 'invalid';

export interface KeyFileStatus {
  readonly state: KeyFileState;
  /** New keys that the upstream has accepted since the start. */
  readonly takenOver: number;
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

/**
 * Opens a key file and reads it periodically. A new key is used from the next call on. If the upstream refuses it while the
 * old one worked, the old key stays in use and the new one is tried once a minute, so that a key that is not active yet, or
 * mistyped, breaks nothing. If the upstream refuses the old key, the file is read at once. Throws if the file holds no key.
 */
export async function openKeyFile(path: string, options: KeyFileOptions): Promise<KeyRing> {
  const { clock, reloadMs = 5_000, warn = () => {}, read = (file) => readFile(file, 'utf8') } = options;
  const key = ApiKey.from(await read(path));
  if (!key) throw new Error('Cannot take the key from its file: not one line of 8 to 256 visible ASCII characters');
  return new KeyRing(key, { read: () => read(path), clock, reloadMs, warn });
}

/** A key file, and how its changes are noticed. */
interface KeyFile {
  readonly read: () => Promise<string>;
  readonly clock: Clock;
  readonly reloadMs: number;
  readonly warn: (message: string) => void;
}

/** The key in use, across rotations. */
export class KeyRing {
  /** Undefined for a key that never changes. */
  readonly #file: KeyFile | undefined;
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
  #cancelRead: () => void = () => {};
  #cancelTry: () => void = () => {};
  #closed = false;
  #readsStarted = 0;
  #newestRead = 0;

  /** Without a file, the key never changes. */
  constructor(key: ApiKey, file?: KeyFile) {
    this.#current = key;
    this.#file = file;
    this.#readLater();
  }

  /** The key for the next call. */
  current(): ApiKey {
    return this.#current;
  }

  /** Records that the upstream accepted `key`; earlier keys are dropped. */
  accepted(key: ApiKey): void {
    if (!key.equals(this.#current)) return;
    if (this.#isNew) {
      this.#file?.warn('The service accepts the new key: the key before may be revoked');
      this.#takenOver += 1;
    }
    [this.#isProven, this.#isNew] = [true, false];
    if (!this.#refusedNew) this.#fallback = undefined;
  }

  /** The state of the key file; undefined if the key is in no file. */
  status(): KeyFileStatus | undefined {
    if (!this.#file) return undefined;
    const proven = this.#isProven ? 'in_use' : 'untried';
    const state = this.#fault ?? (this.#refusedNew === undefined ? proven : 'refused');
    return { state, takenOver: this.#takenOver };
  }

  /** Records that the upstream refused `key`; returns whether there is another key to retry the call with. */
  async refused(key: ApiKey): Promise<boolean> {
    if (!key.equals(this.#current)) return true;
    if (this.#fallback && !this.#isProven) return this.#fallBack();
    await this.#readFile();
    return !key.equals(this.#current);
  }

  /** Calls `listener` when the key in use changes. The returned function unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Secrets for `purpose`, derived from the key in use and the one before it; equal in all instances with the same key. */
  secretsFor(purpose: string): () => readonly KeyObject[] {
    const secret = (): KeyObject => createSecretKey(this.#current.derive(purpose));
    let secrets = [secret()];
    this.onChange(() => (secrets = [secret(), ...secrets.slice(0, 1)]));
    return () => secrets;
  }

  close(): void {
    this.#closed = true;
    this.#cancelRead();
    this.#cancelTry();
  }

  #readLater(): void {
    if (this.#closed || !this.#file) return;
    const { clock, reloadMs } = this.#file;
    this.#cancelRead = clock.schedule(reloadMs, () => this.#readFile().finally(() => this.#readLater()));
  }

  async #readFile(): Promise<void> {
    if (!this.#file) return;
    const order = (this.#readsStarted += 1);
    const read = await this.#file.read().then(keyIn, faultOf);
    // Two reads can overlap, and the older one may return last, with an older key.
    if (order < this.#newestRead) return;
    this.#newestRead = order;
    this.#fault = read instanceof ApiKey ? undefined : read;
    if (!(read instanceof ApiKey)) return;
    if (!read.equals(this.#current)) {
      if (!this.#refusedNew || !read.equals(this.#refusedNew)) this.#use(read);
    } else if (this.#refusedNew !== undefined) {
      // The file holds the working key again.
      this.#cancelTry();
      [this.#refusedNew, this.#fallback] = [undefined, undefined];
    }
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
    [this.#current, this.#isProven, this.#isNew, this.#refusedNew] = [this.#fallback, true, false, refused];
    const tryAgain = (): void => {
      if (this.#refusedNew && refused.equals(this.#refusedNew)) this.#use(refused);
    };
    this.#cancelTry = this.#file?.clock.schedule(TRY_AGAIN_MS, tryAgain) ?? (() => {});
    return true;
  }
}

function keyIn(text: string): ApiKey | KeyFileFault {
  return ApiKey.from(text) ?? (text.trim() === '' ? 'empty' : 'invalid');
}

function faultOf(cause: unknown): KeyFileFault {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'missing' : 'unreadable';
}
