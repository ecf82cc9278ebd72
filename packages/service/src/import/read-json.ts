import { readFile } from 'node:fs/promises';
import { CommandError } from '../command-error.ts';
import { printable } from '../printable.ts';
import { DocumentError, faultAt } from './document-error.ts';

const NOT_A_TABLE =
  'is a table (CSV), not an import document. The service doesn’t draw charts: draw each chart as a PNG file, and list the files in a JSON document';

/** Reads the JSON value in `file`. Throws `CommandError` if there is none. */
export async function readJson(file: string): Promise<unknown> {
  return parseJson(asText(await readBytes(file)));
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new CommandError(`Can’t read ${file}: ${readFault(error)}`);
  }
}

function readFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return { ENOENT: 'no such file', EISDIR: 'it is a folder', EACCES: 'permission denied' }[code] ?? code;
}

/**
 * Decodes strictly, because bytes in another encoding would otherwise become different text. A byte order mark is
 * removed.
 */
function asText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DocumentError([faultAt([], 'is not UTF-8')]);
  }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (/^[^[{\n]*[,;\t][^\n]*\n/.test(json)) throw new DocumentError([faultAt([], NOT_A_TABLE)]);
    const reason = error instanceof Error ? error.message : String(error);
    // The error's message quotes the document.
    throw new DocumentError([faultAt([], `is not JSON: ${printable(reason)}`)]);
  }
}
