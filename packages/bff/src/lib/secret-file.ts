import util from 'node:util';
import { readRegularFile } from './stored-text.ts';

/** The configuration is invalid. Each line describes one error and names the variable, but never contains its value. */
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
    throw new ConfigError([`${variable}: ${fileFault(cause)}`]);
  });
  return content.toString();
}

/** Why a file can't be read. The path isn't repeated: it could be the secret itself, set in the wrong variable. */
export function fileFault(cause: unknown): string {
  return `the file can’t be read: ${fileReason(cause)}`;
}

/** Why a file can't be used, in the system's words or in those of `readRegularFile()`. */
export function fileReason(cause: unknown): string {
  const { errno, code = '' } = cause as NodeJS.ErrnoException;
  // Node 20 doesn't have this function, and importing it by name would hide the message about the Node version.
  if (errno !== undefined) return util.getSystemErrorMessage(errno);
  return /^(?:ERR_ENCODING|$)/.test(code) ? 'it isn’t text' : code;
}
