import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, replaceFile } from './replace-file.ts';

/** The maximum size of a text file. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/**
 * Short, named text that is stored in Redis, in a file, or only in this process. The methods reject while the storage
 * can't be reached.
 */
export interface StoredText {
  /** Whether the text outlives this process. */
  readonly isLasting: boolean;
  /** Whether this instance acts on the text. Only one of the instances that share the text acts on it at a time. */
  claim(): Promise<boolean>;
  /** The text; undefined if there is none. */
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

/** Text that is stored only in this process. */
export function memoryText(): StoredText {
  let text: string | undefined;
  return {
    isLasting: false,
    claim: async () => true,
    load: async () => text,
    save: async (changed) => void (text = changed),
  };
}

/** Text in a file. Only this process may write the file, because it is read only once. */
export function fileText(path: string): StoredText {
  let read: Promise<string | undefined> | undefined;
  return {
    isLasting: true,
    claim: async () => true,
    load: () => (read ??= readRegularFile(path).catch(() => undefined)),
    save: async (changed) => {
      read = Promise.resolve(changed);
      makeFolder(dirname(path), 0o700);
      replaceFile(path, changed);
    },
  };
}

/** Reads a file. Rejects if it is too long or isn't a regular file: opening a FIFO would block forever. */
export async function readRegularFile(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat().then((facts) => (facts.isFile() ? facts : { size: Infinity }));
    if (size > MAX_TEXT_BYTES) throw new RangeError('Can’t read a file: it is too long, or isn’t a regular file');
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
