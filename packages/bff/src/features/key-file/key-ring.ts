import type { ApiKey } from '../../lib/api-key.ts';
import type { KeySource } from '../../upstream/key-source.ts';
import { type KeyFile, KeyFileReader } from './key-file-reader.ts';
import type { KeyFileState, KeyFileStatus } from './key-file-report.ts';

/** How long to wait before trying a refused new key again, while the previous key works. */
const TRY_AGAIN_MS = 60_000;

/**
 * Knows the API key in use, before and after a rotation. The next call after a change of the file uses the new key. If
 * the upstream refuses the new key but accepted the old one, the old key stays in use. The new key is then tried once a
 * minute. A mistyped key, or one that isn't active yet, therefore breaks nothing. If the upstream refuses the old key,
 * the file is read immediately.
 */
export class KeyRing implements KeySource {
  readonly #file: KeyFile;
  readonly #reader: KeyFileReader;
  readonly #first: ApiKey;
  readonly #listeners = new Set<() => void>();
  /** The newest key from the file. */
  #newest: ApiKey;
  /** The last key that the upstream accepted. This key is in use while the upstream refuses the newest key. */
  #accepted: ApiKey | undefined;
  #isNewestRefused = false;
  #takenOver = 0;
  #cancelTry: () => void = () => {};

  constructor(key: ApiKey, file: KeyFile) {
    this.#first = this.#newest = key;
    this.#file = file;
    this.#reader = new KeyFileReader(file, (read) => {
      if (!read.equals(this.#newest)) this.#use(read);
    });
  }

  current(): ApiKey {
    return this.#isNewestRefused ? (this.#accepted ?? this.#newest) : this.#newest;
  }

  /** Drops earlier keys. */
  accepted(key: ApiKey): void {
    if (!key.equals(this.current()) || this.#accepted === this.current()) return;
    this.#accepted = this.#newest;
    if (this.#newest === this.#first) return;
    this.#file.warn('The service accepts the new key: you can now revoke the previous key');
    this.#takenOver += 1;
  }

  async refused(key: ApiKey): Promise<boolean> {
    if (!key.equals(this.current())) return true;
    if (this.#accepted && this.#accepted !== this.current()) this.#setRefused();
    else await this.#reader.readSoon();
    return !key.equals(this.current());
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  status(): KeyFileStatus {
    return { state: this.#reader.fault ?? this.#state(), takenOver: this.#takenOver };
  }

  close(): void {
    this.#reader.close();
    this.#cancelTry();
  }

  #state(): KeyFileState {
    if (this.#isNewestRefused) return 'refused';
    return this.#accepted === this.#newest ? 'in_use' : 'untried';
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
    this.#cancelTry = this.#file.clock.schedule(TRY_AGAIN_MS, () => this.#use(refused));
  }
}
