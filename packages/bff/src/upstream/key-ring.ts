import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { ApiKey } from './api-key.ts';
import { type KeyObject, createSecretKey } from 'node:crypto';

/** How often a refused new key is tried again while the old one works. */
const TRY_AGAIN_MS = 60_000;

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
  /** The last warning about the file, so that it is logged once. */
  #fault: string | undefined;
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
    this.#isProven = true;
    if (!this.#refusedNew) this.#fallback = undefined;
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
    const text = await this.#read().catch(() => undefined);
    // Two reads can overlap, and the older one may return last, with the key before.
    if (order < this.#newestRead) return;
    this.#newestRead = order;
    if (text === undefined) return this.#complain('Cannot read the key file: the key before stays in use');
    const key = ApiKey.from(text);
    if (!key) return this.#complain('Cannot take the key from its file: the key before stays in use');
    this.#fault = undefined;
    if (!key.equals(this.#current) && !(this.#refusedNew && key.equals(this.#refusedNew))) this.#use(key);
  }

  #complain(fault: string): void {
    if (fault !== this.#fault) this.#warn(fault);
    this.#fault = fault;
  }

  #use(key: ApiKey): void {
    if (this.#isProven) this.#fallback = this.#current;
    [this.#current, this.#isProven, this.#refusedNew] = [key, false, undefined];
    for (const listener of this.#listeners) listener();
  }

  #fallBack(): boolean {
    if (!this.#fallback) return false;
    const refused = this.#current;
    this.#warn('The upstream refuses the new key: the key before stays in use');
    [this.#current, this.#isProven, this.#refusedNew] = [this.#fallback, true, refused];
    this.#cancelTry = this.#clock.schedule(TRY_AGAIN_MS, () => this.#tryAgain(refused));
    return true;
  }

  #tryAgain(key: ApiKey): void {
    if (this.#refusedNew && key.equals(this.#refusedNew)) this.#use(key);
  }
}

/** Secrets for `purpose`, derived from the key in use and the one before it; equal in all instances with the same key. */
export function derivedSecrets(keyRing: KeyRing, purpose: string): () => readonly KeyObject[] {
  const secret = (): KeyObject => createSecretKey(keyRing.current().derive(purpose));
  let secrets = [secret()];
  keyRing.onChange(() => (secrets = [secret(), ...secrets.slice(0, 1)]));
  return () => secrets;
}
