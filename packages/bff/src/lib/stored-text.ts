import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
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

/** The value in stored JSON. Undefined if there is no text, or if the text is damaged. */
export function valueIn<Schema extends z.ZodType>(schema: Schema, text = ''): z.output<Schema> | undefined {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
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
    load: () => (read ??= readRegularFile(path).then(String, () => undefined)),
    save: async (changed) => {
      read = Promise.resolve(changed);
      makeFolder(dirname(path), 0o700);
      replaceFile(path, changed);
    },
  };
}

/** Reads a file. Rejects if it is too long, or if it is a pipe or a device, because reading these might never end. */
export async function readRegularFile(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = await file.stat();
    // Reading a folder fails with its own error, EISDIR.
    if (!facts.isFile() && !facts.isDirectory()) throw fileError('not a regular file');
    if (facts.size > MAX_TEXT_BYTES) throw fileError('too long');
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function fileError(code: string): Error {
  return Object.assign(new Error(`Can’t read a file: ${code}`), { code });
}
