import { readFile } from 'node:fs/promises';
import { CommandRefused } from '../command-refused.ts';
import { DocumentFaulty, faultAt } from './fault.ts';

/** The JSON value in `file`. Throws `CommandRefused` where there is none. */
export async function readJson(file: string): Promise<unknown> {
  return parseJson(await readText(file));
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
