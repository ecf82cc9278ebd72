import { readFile } from 'node:fs/promises';
import { CommandRefused } from '../command-refused.ts';
import { documentSchema, type ImportDocument } from './document-schema.ts';
import { DocumentFaulty, faultAt, faultsIn } from './fault.ts';

/** Reads the document in `file`. Throws `CommandRefused`, or `DocumentFaulty` with the path of each fault. */
export async function readDocument(file: string): Promise<ImportDocument> {
  const read = documentSchema.safeParse(parseJson(await readText(file)));
  if (!read.success) throw new DocumentFaulty(faultsIn(read.error));
  return read.data;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandRefused(`Cannot read ${file}: ${readFault(error)}`);
  }
}

function readFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return { ENOENT: 'no such file', EISDIR: 'it is a folder', EACCES: 'permission denied' }[code] ?? code;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new DocumentFaulty([faultAt([], `is not JSON: ${error instanceof Error ? error.message : String(error)}`)]);
  }
}
