import { ApiKey } from '../../lib/api-key.ts';
import { type Clock, repeat } from '../../lib/clock.ts';

/** How long a refused call waits until the key file is read, in ms. The file may be on a network drive. */
const READ_WITHIN_MS = 1_000;

/** Why a key file provides no key. */
export type KeyFileFault = 'missing' | 'empty' | 'unreadable' | 'invalid';

/** A key file, and the settings for detecting its changes. */
export interface KeyFile {
  readonly read: () => Promise<string>;
  readonly clock: Clock;
  /** How often the file is read, in ms. */
  readonly reloadMs: number;
  readonly warn: (message: string) => void;
}

/** Reads a key file periodically. */
export class KeyFileReader {
  readonly #file: KeyFile;
  readonly #onKey: (key: ApiKey) => void;
  readonly #end: () => void;
  #fault: KeyFileFault | undefined;
  #lastRead = Promise.resolve();

  /** `onKey`: called each time the file contains a key. */
  constructor(file: KeyFile, onKey: (key: ApiKey) => void) {
    this.#file = file;
    this.#onKey = onKey;
    this.#end = repeat(file.clock, file.reloadMs, () => this.#read());
  }

  /** Why the file provided no key when it was last read. */
  get fault(): KeyFileFault | undefined {
    return this.#fault;
  }

  /** Reads the file now. Resolves after a second at the latest. */
  async readSoon(): Promise<void> {
    const { promise: timedOut, resolve } = Promise.withResolvers<void>();
    const cancel = this.#file.clock.schedule(READ_WITHIN_MS, resolve);
    await Promise.race([this.#read(), timedOut]);
    cancel();
  }

  close(): void {
    this.#end();
  }

  /** Reads the file after pending reads have finished, so that older content never replaces newer content. */
  #read(): Promise<void> {
    return (this.#lastRead = this.#lastRead.then(async () => {
      const read = await this.#file.read().then(keyIn, faultOf);
      this.#fault = read instanceof ApiKey ? undefined : read;
      if (read instanceof ApiKey) this.#onKey(read);
    }));
  }
}

function keyIn(text: string): ApiKey | KeyFileFault {
  return ApiKey.from(text) ?? (text.trim() === '' ? 'empty' : 'invalid');
}

function faultOf(cause: unknown): KeyFileFault {
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'missing' : 'unreadable';
}
