import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { KeptText } from '../lib/kept-text.ts';
import { makeFolder, replaceFile } from '../lib/replace-file.ts';

/** The largest text file. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** 132 bits of SHA-256 in base64url. */
const CHECKSUM_LENGTH = 22;
const CHECKSUM_AT_END = /,"checksum":"([\w-]*)"\}$/;

/**
 * Reads a regular file. Rejects if it is longer than `limitBytes` or isn't a regular file: opening a FIFO would block
 * forever.
 */
export async function readRegularFile(path: string, limitBytes: number): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat().then((facts) => (facts.isFile() ? facts : { size: Infinity }));
    if (size > limitBytes) throw new RangeError('Can’t read a file: it is too long, or isn’t a regular file');
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** Text in a file. Only this process may write the file, because it is read only once. */
export function fileText(path: string): KeptText {
  let text: string | undefined;
  let isRead = false;
  return {
    isLasting: true,
    claim: async () => true,
    load: async () => {
      if (!isRead) text = await readRegularFile(path, MAX_TEXT_BYTES).catch(() => undefined);
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

/** The text of a JSON object with a checksum as its last property, so that a damaged copy is detected. */
export function withChecksum(json: string): string {
  return `${json.slice(0, -1)},"checksum":"${checksumOf(json)}"}`;
}

/** Returns the text that was passed to `withChecksum()`. Throws if the stored copy is damaged. */
export function checkedJson(stored: string): string {
  const [end = '', checksum] = CHECKSUM_AT_END.exec(stored) ?? [];
  const json = `${stored.slice(0, stored.length - end.length)}}`;
  if (checksum !== checksumOf(json)) throw new RangeError('Can’t read a stored entry: its checksum does not match');
  return json;
}

function checksumOf(json: string): string {
  return createHash('sha256').update(json).digest('base64url').slice(0, CHECKSUM_LENGTH);
}

/** A file name for an ID. Two IDs may differ only in case, which some file systems ignore in file names. */
export function fileNameFor(id: string): string {
  return `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`;
}
