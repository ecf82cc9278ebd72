import { readFile } from 'node:fs/promises';
import { type Clock, repeat } from './clock.ts';

export interface WatchedFileOptions {
  readonly clock: Clock;
  /** How often the file is read, in ms. */
  readonly everyMs: number;
  /** @default reads the file */
  readonly read?: ((path: string) => Promise<Buffer>) | undefined;
  /** Uses the file's contents. If it throws, the previous contents stay in use. */
  readonly use: (content: Buffer) => void | Promise<void>;
  /** Called after each read, with the error if the file can't be read or used. */
  readonly onRead: (fault: unknown) => void;
}

/** A file that is read repeatedly, because it may change. */
export class WatchedFile {
  readonly close: () => void;
  readonly #path: string;
  readonly #options: WatchedFileOptions;
  #lastRead: Promise<void> = Promise.resolve();

  constructor(path: string, options: WatchedFileOptions) {
    this.#path = path;
    this.#options = options;
    this.close = repeat(options.clock, options.everyMs, () => this.reload());
  }

  /** Reads the file after pending reads have finished, so that older content never replaces newer content. */
  reload(): Promise<void> {
    return (this.#lastRead = this.#lastRead.then(() => this.#read()));
  }

  async #read(): Promise<void> {
    const { read = readFile, use, onRead } = this.#options;
    try {
      await use(await read(this.#path));
      onRead(undefined);
    } catch (fault) {
      onRead(fault);
    }
  }
}
