import { readFile } from 'node:fs/promises';
import { ConfigError } from './config.ts';

/** Reads the only line of a file that holds a secret. Rejects with a `ConfigError` that says what is wrong with the file, and not what it holds. */
export async function readSecretLine(variable: string, path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new ConfigError([`${variable}: ${faultOf(cause)}`]);
  });
  const line = text.replace(/\r?\n$/, '');
  if (line.trim() === '') throw new ConfigError([`${variable}: the file is empty`]);
  if (/[\r\n]/.test(line)) throw new ConfigError([`${variable}: the file has more than one line; it must have one`]);
  return line;
}

function faultOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file';
  if (code === 'EISDIR') return 'this is a folder; name the file in it';
  if (code === 'EACCES' || code === 'EPERM') return `this process may not read the file (user ${process.getuid?.()})`;
  return `the file cannot be read (${code})`;
}
