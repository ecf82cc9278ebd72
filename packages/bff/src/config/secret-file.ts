import { readFile } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { printable } from '../lib/printable.ts';
import { ConfigError } from './config.ts';

/**
 * Reads a secret from a file with a single line. Rejects with a `ConfigError` that explains what is wrong with the
 * file, without quoting it.
 */
export async function readSecretLine(variable: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ConfigError([`${variable}: ${faultOf(cause, path)}`]);
  });
  const line = text.replace(/\r?\n$/, '');
  if (line.trim() === '') throw new ConfigError([`${variable}: the file is empty`]);
  if (/[\r\n]/.test(line)) throw new ConfigError([`${variable}: the file must have only one line`]);
  return line;
}

function faultOf(cause: unknown, path: string): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no such file${placeOf(path)}`;
  if (code === 'EISDIR') return 'this is a folder; give the path of a file';
  if (code === 'EACCES' || code === 'EPERM')
    return `this process is not allowed to read the file (user ${process.getuid?.()})`;
  return `the file cannot be read (${code})`;
}

/** A relative path isn't repeated, because it could be the secret itself, set in the wrong variable. */
function placeOf(path: string): string {
  return isAbsolute(path) ? `: ${printable(path)}` : `; the path is relative to ${process.cwd()}`;
}
