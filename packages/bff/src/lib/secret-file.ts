import { isAbsolute } from 'node:path';
import { printable } from './printable.ts';
import { readRegularFile } from './stored-text.ts';

/**
 * The configuration is invalid. Each line describes one error and names the variable. It never contains the variable's
 * value, with one exception: the absolute path of a missing file.
 */
export class ConfigError extends Error {
  readonly faults: readonly string[];
  /** Whether the only problem is that required variables are missing. */
  readonly isIncomplete: boolean;

  constructor(faults: readonly string[], { isIncomplete = false } = {}) {
    super(faults.join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
    this.isIncomplete = isIncomplete;
  }
}

/**
 * Reads a secret from a file with a single line. Rejects with a `ConfigError` that explains what's wrong with the file
 * without quoting it.
 */
export async function readSecretLine(variable: string, path: string): Promise<string> {
  const text = await readText(variable, path);
  const line = text.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
  if (line.trim() === '') throw new ConfigError([`${variable}: the file is empty`]);
  if (/[\r\n]/.test(line)) throw new ConfigError([`${variable}: the file must have only one line`]);
  return line;
}

/** Reads a text file. Rejects with a `ConfigError` that explains why the file can't be read. */
export async function readText(
  variable: string,
  path: string,
  read: (path: string) => Promise<Buffer> = readRegularFile,
): Promise<string> {
  const content = await read(path).catch((cause: unknown) => {
    throw new ConfigError([`${variable}: ${fileFault(cause, path)}`]);
  });
  return content.toString();
}

/** Why a file can't be read. */
export function fileFault(cause: unknown, path: string): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
  if (code === 'ENOENT' || code === 'ENOTDIR') return `there is no such file${placeOf(path)}`;
  if (code === 'EISDIR') return 'this is a folder; give the path of a file';
  if (code === 'EACCES' || code === 'EPERM')
    return `this process isn’t allowed to read the file (user ${process.getuid?.()})`;
  return `the file can’t be read (${code})`;
}

/** A relative path isn't repeated, because it could be the secret itself, set in the wrong variable. */
function placeOf(path: string): string {
  return isAbsolute(path) ? `: ${printable(path)}` : `; the path is relative to ${process.cwd()}`;
}
