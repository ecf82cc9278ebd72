import type { KeyScope } from '@pulse-card/contract';
import { type Config, readSecret } from '../config.ts';
import { ApiKey } from '../lib/api-key.ts';
import { type Clock, within } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { codeOf } from '../lib/outgoing.ts';
import { ConfigError } from '../lib/secret-file.ts';
import { type WatchedFile, watchFile } from '../lib/watched-file.ts';
import { type Failure, failed } from './failure.ts';
import { type Operation, SCOPES } from './target.ts';

/** How long to wait before a rejected new key is tried again, while an earlier key works. */
const TRY_NEW_KEY_MS = 60_000;

/** The time between two calls that test whether a rejected key works again, if there is no other key. */
const TEST_EVERY_MS = 30_000;

/** How long reading the key file may take, in ms. It may be on a network drive. */
const READ_WITHIN_MS = 1_000;

/** Whether the service accepts the key. */
export interface KeyStatus {
  readonly state: 'untried' | 'accepted' | 'refused';
  /** Time since the first rejection, in ms. */
  readonly refusedForMs?: number;
  /** The scope that the key lacks: the service returned 403, or it rejects the key only for this operation. */
  readonly missingScope?: KeyScope;
}

/**
 * The key file's state. The key in it is `in_use`, `untried`, or `refused` (an earlier key then stays in use). The
 * other states explain why the file provides no key (the last key then stays in use).
 */
export type KeyFileState = 'in_use' | 'untried' | 'refused' | KeyFileFault;
type KeyFileFault = 'missing' | 'empty' | 'unreadable' | 'invalid';

/** The `keyFile` member of `/status`. */
export interface KeyFileStatus {
  readonly state: KeyFileState;
  /** How many new keys from the file the service has accepted since startup. */
  readonly takenOver: number;
}

export interface KeyOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** @default reads the file */
  readonly read?: ((path: string) => Promise<Buffer>) | undefined;
}

/** The service rejects the key for an operation, and there is no other key. */
interface Rejection {
  readonly status: 401 | 403;
  /** When the service first rejected the key. */
  readonly since: number;
  testedAt: number;
}

const OPERATIONS: readonly Operation[] = ['sources', 'pulse'];

/**
 * The API key, from a variable or from a file that is read again periodically. A new key in the file is used for the
 * next call. If the service rejects it for an operation, the last key that works for this operation is used, so that a
 * mistyped key doesn't break anything, and the new one is tried once a minute. If there is no other key, one call every
 * 30 s tests whether it works again.
 */
export class Key {
  readonly #options: KeyOptions;
  readonly #file: WatchedFile | undefined;
  readonly #listeners = new Set<() => void>();
  /** The last key that the service accepted for each operation. */
  readonly #accepted = new Map<Operation, ApiKey>();
  /** The time until which a key isn't used for an operation, by the key's `nameOf()`. */
  readonly #avoidedUntil = new Map<string, number>();
  readonly #rejections = new Map<Operation, Rejection>();
  /** When an earlier process first saw the key rejected. */
  #rejectedBefore: number | undefined;
  #newest: ApiKey;
  /** The latest key from the file that the service has accepted; initially, the first key. */
  #known: ApiKey;
  #fault: KeyFileFault | undefined;
  #takenOver = 0;

  constructor(key: ApiKey, options: KeyOptions, file?: { readonly path: string; readonly reloadMs: number }) {
    const { clock, read } = options;
    this.#known = this.#newest = key;
    this.#options = options;
    const use = (content: Buffer): void => this.#read(content.toString());
    this.#file = file && watchFile(file.path, { clock, read, everyMs: file.reloadMs, use, onRead: this.#onRead });
  }

  /** The key for the next call. */
  current(operation: Operation = 'pulse'): ApiKey {
    const accepted = this.#accepted.get(operation);
    if (accepted === undefined || !this.#isAvoided(this.#newest, operation)) return this.#newest;
    return this.#isAvoided(accepted, operation) ? this.#newest : accepted;
  }

  /** A name for the key that reads pulses, which doesn't reveal it. */
  get name(): string {
    return this.current().name;
  }

  /** Derives a 32-byte secret from the key in use. The secret doesn't reveal the key. */
  derive(purpose: string): Buffer {
    return this.current().derive(purpose);
  }

  /** Calls `listener` when the file contains a new key, until the key is closed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Why calls for `operation` can't be sent now: the operation is rejected, and a call has tested that recently. */
  blocks(operation: Operation): Failure | undefined {
    const { status, testedAt = -Infinity } = this.#rejections.get(operation) ?? {};
    const retryInMs = testedAt + TEST_EVERY_MS - this.#options.clock.now();
    return retryInMs > 0 ? failed(status === 401 ? 'key_rejected' : 'scope_missing', retryInMs) : undefined;
  }

  /** How long calls for `operation` have been rejected, in ms; undefined if they aren't. */
  refusedForMs(operation: Operation): number | undefined {
    const since = this.#rejections.get(operation)?.since ?? this.#rejectedBefore;
    return since === undefined ? undefined : this.#options.clock.now() - since;
  }

  /** The status with which calls for `operation` are rejected; undefined if they aren't. */
  rejectionOf(operation: Operation): 401 | 403 | undefined {
    return this.#rejections.get(operation)?.status;
  }

  /**
   * When the key was first rejected for everything, on the monotonic clock; undefined if it is accepted for any
   * operation.
   */
  get rejectedSince(): number | undefined {
    const sinces = OPERATIONS.map((operation) => this.#rejections.get(operation)?.since ?? this.#rejectedBefore);
    return sinces.reduce((one, other) => one && other && Math.min(one, other));
  }

  /** Restores the time at which an earlier process first saw the key rejected. */
  restoreRejection(since: number): void {
    this.#rejectedBefore = since;
  }

  /** Records that a call is sent. */
  tried(operation: Operation): void {
    const rejection = this.#rejections.get(operation);
    if (rejection) rejection.testedAt = this.#options.clock.now();
  }

  /** Records that the service accepted `key` for `operation`. A 403 for the other operation stays in effect. */
  accepted(key: ApiKey, operation: Operation): void {
    this.#avoidedUntil.delete(nameOf(key, operation));
    this.#rejectedBefore = undefined;
    this.#rejections.delete(operation);
    // An earlier key that still works doesn't show that the newest one does.
    if (key.equals(this.#newest)) this.#endOf401();
    this.#accepted.set(operation, key);
    if (!key.equals(this.#newest) || key.equals(this.#known)) return;
    this.#known = key;
    this.#takenOver += 1;
    this.#options.log.warn('The service accepts the new key: you can now revoke the previous key');
  }

  /**
   * Records that the service rejected `key`: for every operation (401), or for this one (403). Returns whether another
   * key is available, so that the call can be retried.
   */
  async rejected(key: ApiKey, operation: Operation, status: 401 | 403): Promise<boolean> {
    const now = this.#options.clock.now();
    const affected = status === 401 ? OPERATIONS : [operation];
    for (const each of affected) this.#avoidedUntil.set(nameOf(key, each), now + TRY_NEW_KEY_MS);
    if (this.current(operation).equals(key)) await this.reload();
    if (!this.current(operation).equals(key)) return true;
    for (const each of affected) {
      // The other operation may have a key that works.
      if (!this.current(each).equals(key)) continue;
      const since = this.#rejections.get(each)?.since ?? this.#rejectedBefore ?? now;
      this.#rejections.set(each, { status, since, testedAt: now });
    }
    // A 403 shows that the key itself is valid, so the other operation may be tried.
    if (status === 403) this.#endOf401();
    return false;
  }

  /** Whether the service accepts the key. */
  acceptance(): KeyStatus {
    const [operation, rejection] = [...this.#rejections][0] ?? [];
    if (operation === undefined || rejection === undefined)
      return { state: this.#accepted.size > 0 ? 'accepted' : 'untried' };
    const refused = { state: 'refused', refusedForMs: this.#options.clock.now() - rejection.since } as const;
    // If only one operation is rejected, an earlier key may work for the other one.
    const isPartial = rejection.status === 403 || this.#rejections.size < OPERATIONS.length;
    return isPartial ? { ...refused, missingScope: SCOPES[operation] } : refused;
  }

  /** The key file's state; undefined if the key is in a variable. */
  status(): KeyFileStatus | undefined {
    return this.#file && { state: this.#fault ?? this.#fileState(), takenOver: this.#takenOver };
  }

  /** Reads the file now. If it can't be read, the last key stays in use. */
  async reload(): Promise<void> {
    if (this.#file) await within(this.#options.clock, READ_WITHIN_MS, this.#file.reload());
  }

  close(): void {
    this.#file?.close();
    this.#listeners.clear();
  }

  #isAvoided(key: ApiKey, operation: Operation): boolean {
    return (this.#avoidedUntil.get(nameOf(key, operation)) ?? -Infinity) > this.#options.clock.now();
  }

  #endOf401(): void {
    for (const [operation, { status }] of this.#rejections) if (status === 401) this.#rejections.delete(operation);
  }

  #fileState(): KeyFileState {
    if (OPERATIONS.some((each) => !this.current(each).equals(this.#newest))) return 'refused';
    return this.#accepted.size > 0 && this.#newest.equals(this.#known) ? 'in_use' : 'untried';
  }

  #read(text: string): void {
    const key = ApiKey.from(text.replace(/^\uFEFF/, ''));
    this.#fault = key ? undefined : text.trim() === '' ? 'empty' : 'invalid';
    if (key === undefined || key.equals(this.#newest)) return;
    this.#newest = key;
    // The new key may be tried immediately.
    for (const rejection of this.#rejections.values()) rejection.testedAt = -Infinity;
    for (const listener of this.#listeners) listener();
  }

  #onRead = (cause: unknown): void => {
    if (cause === undefined) return;
    this.#fault = codeOf(cause) === 'ENOENT' ? 'missing' : 'unreadable';
  };
}

/** Opens the key that the configuration specifies. Throws a `ConfigError` if its file doesn't contain a key. */
export async function openKey(
  { apiKey, apiKeyFile: path, keyReloadMs: reloadMs }: Pick<Config, 'apiKey' | 'apiKeyFile' | 'keyReloadMs'>,
  options: KeyOptions,
): Promise<Key> {
  const key = await readSecret('PULSE_API_KEY', apiKey, path);
  if (key === undefined) throw new ConfigError(['PULSE_API_KEY: is required (or PULSE_API_KEY_FILE)']);
  return new Key(key, options, path === undefined ? undefined : { path, reloadMs });
}

function nameOf(key: ApiKey, operation: Operation): string {
  return `${operation} ${key.name}`;
}
