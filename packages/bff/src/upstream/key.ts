import { readFile, stat } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { ApiKey } from '../lib/api-key.ts';
import { type Clock, repeat } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { ConfigError, readSecretLine } from '../lib/secret-file.ts';
import type { Operation } from './target.ts';

/** How long to wait before a rejected new key is tried again, while an earlier key works. */
const TRY_AGAIN_MS = 60_000;

/** How long a rejected call waits until the key file is read, in ms. The file may be on a network drive. */
const READ_WITHIN_MS = 1_000;

/**
 * The state of the key file. Its key is `in_use`, `untried`, or `refused`; then an earlier key stays in use. The other
 * states say why the file provides no key; then the last key stays in use.
 */
export type KeyFileState = 'in_use' | 'untried' | 'refused' | KeyFileFault;
type KeyFileFault = 'missing' | 'empty' | 'unreadable' | 'invalid';

/** The member `keyFile` of `/status`. */
export interface KeyFileStatus {
  readonly state: KeyFileState;
  /** How many new keys from the file the service has accepted since the start. */
  readonly takenOver: number;
}

export interface KeyOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** @default reads the file */
  readonly readText?: (path: string) => Promise<string>;
}

/**
 * The API key, from a variable or from a file that is read again periodically. A new key in the file is used for the
 * next call. If the service rejects it for an operation, the last key that works for this operation is used, so that a
 * mistyped key doesn't break anything, and the new one is tried once a minute.
 */
export class Key {
  readonly #options: KeyOptions;
  readonly #path: string | undefined;
  readonly #first: ApiKey;
  readonly #listeners = new Set<() => void>();
  /** The last key that the service accepted for each operation. */
  readonly #accepted = new Map<Operation, ApiKey>();
  /** Until when a key isn't used for an operation, by `nameOf()`. */
  readonly #rejectedUntil = new Map<string, number>();
  readonly #stopReading: () => void;
  #newest: ApiKey;
  #fault: KeyFileFault | undefined;
  #takenOver = 0;
  #wasRemoved = false;
  #lastRead = Promise.resolve();

  constructor(key: ApiKey, options: KeyOptions, file?: { readonly path: string; readonly reloadMs: number }) {
    this.#first = this.#newest = key;
    this.#options = options;
    this.#path = file?.path;
    this.#stopReading = file ? repeat(options.clock, file.reloadMs, () => this.reload()) : () => {};
  }

  /** The key for the next call. */
  current(operation: Operation = 'pulse'): ApiKey {
    const accepted = this.#accepted.get(operation);
    if (accepted === undefined || !this.#isRejected(this.#newest, operation)) return this.#newest;
    return this.#isRejected(accepted, operation) ? this.#newest : accepted;
  }

  /** A name for the key in use, which doesn't reveal it. */
  get name(): string {
    return this.current().name;
  }

  /** Derives a secret of 32 bytes from the key in use. The secret doesn't reveal the key. */
  derive(purpose: string): Buffer {
    return this.current().derive(purpose);
  }

  /** Calls `listener` when the file contains a new key. The returned function unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Records that the service accepted `key` for `operation`. */
  accepted(key: ApiKey, operation: Operation): void {
    this.#rejectedUntil.delete(nameOf(key, operation));
    const isFirstAnswer = ![...this.#accepted.values()].some((each) => each.equals(key));
    this.#accepted.set(operation, key);
    if (!isFirstAnswer || !key.equals(this.#newest) || key.equals(this.#first)) return;
    this.#takenOver += 1;
    this.#options.log.warn('The service accepts the new key: you can now revoke the previous key');
  }

  /**
   * Records that the service rejected `key`: for every operation (401), or for this one (403). Returns whether another
   * key is available, so that the call can be retried.
   */
  async rejected(key: ApiKey, operation: Operation, status: 401 | 403): Promise<boolean> {
    const until = this.#options.clock.now() + TRY_AGAIN_MS;
    for (const each of status === 401 ? OPERATIONS : [operation]) this.#rejectedUntil.set(nameOf(key, each), until);
    if (this.current(operation).equals(key)) await this.#readSoon();
    return !this.current(operation).equals(key);
  }

  /** The state of the key file; undefined if the key is in a variable. */
  status(): KeyFileStatus | undefined {
    if (this.#path === undefined) return undefined;
    return { state: this.#fault ?? this.#state(), takenOver: this.#takenOver };
  }

  /** Reads the file now. If it can't be read, the last key stays in use. */
  reload(): Promise<void> {
    return (this.#lastRead = this.#lastRead.then(() => this.#read()));
  }

  close(): void {
    this.#stopReading();
    this.#listeners.clear();
  }

  #isRejected(key: ApiKey, operation: Operation): boolean {
    return (this.#rejectedUntil.get(nameOf(key, operation)) ?? -Infinity) > this.#options.clock.now();
  }

  #state(): KeyFileState {
    if (OPERATIONS.some((each) => !this.current(each).equals(this.#newest))) return 'refused';
    return [...this.#accepted.values()].some((key) => key.equals(this.#newest)) ? 'in_use' : 'untried';
  }

  async #readSoon(): Promise<void> {
    if (this.#path === undefined) return;
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.schedule(READ_WITHIN_MS, resolve);
    await Promise.race([this.reload(), timedOut]);
    cancel();
  }

  async #read(): Promise<void> {
    if (this.#path === undefined) return;
    try {
      const text = await (this.#options.readText ?? readTextFile)(this.#path);
      const key = ApiKey.from(text.replace(/^\uFEFF/, ''));
      this.#fault = key ? undefined : text.trim() === '' ? 'empty' : 'invalid';
      if (key && !key.equals(this.#newest)) this.#use(key);
      void this.#warnIfRemoved(this.#path);
    } catch (cause) {
      this.#fault = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'missing' : 'unreadable';
    }
  }

  #use(key: ApiKey): void {
    this.#newest = key;
    for (const operation of OPERATIONS) this.#rejectedUntil.delete(nameOf(key, operation));
    for (const listener of this.#listeners) listener();
  }

  /** If a container mounts a single file and the host replaces it, the container keeps the previous one. */
  async #warnIfRemoved(path: string): Promise<void> {
    const isRemoved = (await stat(path).catch(() => undefined))?.nlink === 0;
    if (isRemoved && !this.#wasRemoved) this.#options.log.warn(REMOVED);
    this.#wasRemoved = isRemoved;
  }
}

const OPERATIONS: readonly Operation[] = ['sources', 'pulse'];

const REMOVED =
  'PULSE_API_KEY_FILE: the file was replaced, but this process still sees the old one (link count 0). Mount its folder, not the file, and restart';

/** Opens the key that the configuration specifies. Throws a `ConfigError` if its file doesn't contain a key. */
export async function openKey(
  { apiKey, apiKeyFile: path, keyReloadMs: reloadMs }: Pick<Config, 'apiKey' | 'apiKeyFile' | 'keyReloadMs'>,
  options: KeyOptions,
): Promise<Key> {
  if (apiKey !== undefined) return new Key(apiKey, options);
  if (path === undefined) throw new ConfigError(['PULSE_API_KEY: is required (or PULSE_API_KEY_FILE)']);
  const line = await readSecretLine('PULSE_API_KEY_FILE', path);
  const key = ApiKey.from(line);
  if (!key) throw new ConfigError([`PULSE_API_KEY_FILE: ${keyFault(line)}`]);
  return new Key(key, options, { path, reloadMs });
}

/** Explains why a line isn't a key, without repeating the line. */
function keyFault(line: string): string {
  if (/[^\x21-\x7e]/.test(line)) return 'the key contains a space or another character that isn’t visible ASCII';
  return line.length < 8
    ? 'the key is too short; it must have at least 8 characters'
    : 'the key is too long; it can have up to 256 characters';
}

function readTextFile(path: string): Promise<string> {
  return readFile(path, 'utf8');
}

function nameOf(key: ApiKey, operation: Operation): string {
  return `${operation} ${key.name}`;
}
