import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { ApiKey } from './api-key.ts';
import { type KeyObject, createSecretKey } from 'node:crypto';

/** A new key that was refused is tried again this often, for as long as the old one works. */
const TRY_AGAIN_MS = 60_000;

/** The key in use, over rotations. */
export interface KeyRing {
  /** The key for the next call. */
  current(): ApiKey;
  /** Records that the upstream took `key`: keys before it are dropped. */
  accepted(key: ApiKey): void;
  /** Records that the upstream refused `key`; true when another key is at hand, so that the call is worth another try. */
  refused(key: ApiKey): Promise<boolean>;
  /** Calls `heard` whenever the key in use is another than before. The returned function ends it. */
  onChange(listener: () => void): () => void;
  close(): void;
}

export interface KeyFileOptions {
  readonly clock: Clock;
  /** How often the file is looked at, in ms. @default 5000 */
  readonly reloadMs?: number;
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
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
 * Reads the key from a file, again and again. A key that appears there is used for the next call. Should the upstream
 * refuse it while the one before still worked, the old key goes on and the new one gets a try a minute: an operator who
 * writes a key before it is active, or mistypes it, breaks nothing. Should the upstream refuse the old key, the file is
 * read at once. Throws where the file holds no key at the start.
 */
export async function openKeyFile(path: string, options: KeyFileOptions): Promise<KeyRing> {
  const key = ApiKey.from(await readFile(path, 'utf8'));
  if (!key) throw new Error('Cannot take the key from its file: not one line of 8 to 256 visible ASCII characters');
  return new FileKeyRing(path, key, options);
}

class FileKeyRing implements KeyRing {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #reloadMs: number;
  readonly #warn: (message: string) => void;
  readonly #listeners = new Set<() => void>();
  #current: ApiKey;
  #isProven = false;
  /** The key before, for as long as the current one is not proven. */
  #fallback: ApiKey | undefined;
  /** The newest key of the file, while the fallback is in use in its place. */
  #refusedNew: ApiKey | undefined;
  /** What was last said of the file, for as long as it is so: it is said once. */
  #fault: string | undefined;
  #cancel: () => void = () => {};
  #cancelTry: () => void = () => {};
  #closed = false;

  constructor(path: string, key: ApiKey, { clock, reloadMs = 5_000, warn = () => {} }: KeyFileOptions) {
    this.#path = path;
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

  onChange(listeners: () => void): () => void {
    this.#listeners.add(listeners);
    return () => void this.#listeners.delete(listeners);
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
    this.#cancelTry();
  }

  #lookLater(): void {
    this.#cancel = this.#clock.schedule(this.#reloadMs, () => this.#look().finally(() => this.#lookAgain()));
  }

  #lookAgain(): void {
    if (!this.#closed) this.#lookLater();
  }

  async #look(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch(() => undefined);
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
    for (const listeners of this.#listeners) listeners();
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

/** Secrets for `purpose`, made of the key in use and of the one before it, so that all instances with one key have the same. */
export function derivedSecrets(keySet: KeyRing, purpose: string): () => readonly KeyObject[] {
  const secret = (): KeyObject => createSecretKey(keySet.current().derive(purpose));
  let secrets = [secret()];
  keySet.onChange(() => (secrets = [secret(), ...secrets.slice(0, 1)]));
  return () => secrets;
}
