import { dirname } from 'node:path';
import type { KeptText } from '../../lib/kept-text.ts';
import { makeFolder, replaceFile } from '../../lib/replace-file.ts';
import { readRegularFile } from './read-regular-file.ts';

/** The largest file. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Text in a file. Only this process may write the file, because the file is read only once. */
export function fileText(path: string): KeptText {
  let text: string | undefined;
  let isRead = false;
  return {
    isLasting: true,
    claim: async () => true,
    load: async () => {
      if (!isRead) text = await readRegularFile(path, MAX_BYTES).catch(() => undefined);
      isRead = true;
      return text;
    },
    save: async (changed) => {
      [text, isRead] = [changed, true];
      makeFolder(dirname(path), 0o700);
      replaceFile(path, changed);
    },
  };
}
