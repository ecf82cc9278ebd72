import { type Clock, repeat } from './clock.ts';
import { readRegularFile } from './stored-text.ts';

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
export type WatchedFile = ReturnType<typeof watchFile>;

/** Starts reading a file repeatedly. */
export function watchFile(path: string, { clock, everyMs, read = readRegularFile, use, onRead }: WatchedFileOptions) {
  let lastRead = Promise.resolve();
  const readNow = async (): Promise<void> => {
    try {
      await use(await read(path));
      onRead(undefined);
    } catch (fault) {
      onRead(fault);
    }
  };
  /** Reads the file after pending reads have finished, so that older content never replaces newer content. */
  const reload = (): Promise<void> => (lastRead = lastRead.then(readNow));
  return { reload, close: repeat(clock, everyMs, reload) };
}
