import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * Reads the text of a file. Rejects if the file is longer than `limitBytes` or isn't a regular file. Reading a FIFO
 * would wait for a writer.
 */
export async function readRegularFile(path: string, limitBytes: number): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = await file.stat();
    if (!facts.isFile()) throw new RangeError(`Cannot read "${path}": it is not a regular file`);
    if (facts.size > limitBytes) throw new RangeError(`Cannot read "${path}": it is too long`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
