import { dirname } from 'node:path';
import { readRegularFile } from './read-regular-file.ts';
import { makeFolder, replaceFile } from './replace-file.ts';

/** The largest file. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A text that is kept in Redis, in a file, or in this process only. Its methods reject while it can't be reached. */
export interface KeptText {
  /** Whether the text outlives this process. */
  readonly isLasting: boolean;
  /** Returns whether this instance, of all that share the text, is the one that acts on it. */
  claim(): Promise<boolean>;
  /** The text; undefined if there is none. */
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

/** A text in a file, or in this process if there is no `path`. No other process may write the file: it is read once. */
export function localText(path?: string): KeptText {
  let text: string | undefined;
  let isRead = false;
  return {
    isLasting: path !== undefined,
    claim: async () => true,
    load: async () => {
      if (!isRead && path !== undefined) text = await readRegularFile(path, MAX_BYTES).catch(() => undefined);
      isRead = true;
      return text;
    },
    save: async (changed) => {
      [text, isRead] = [changed, true];
      if (path === undefined) return;
      makeFolder(dirname(path), 0o700);
      replaceFile(path, changed);
    },
  };
}
