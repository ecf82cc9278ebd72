import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Accessible only to the owner. */
const PRIVATE_MODE = 0o600;

/**
 * Replaces a file atomically. If `path` is a link, the link itself is replaced. The name of the unfinished file is
 * random, because processes in different containers may have the same process ID.
 */
export function replaceFile(path: string, content: string | Uint8Array, mode = PRIVATE_MODE): void {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    writeFileSync(unfinished, content, { mode, flag: 'wx' });
    renameSync(unfinished, path);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw cause;
  }
}

/**
 * Creates a folder and its parent folders. The folders are created one at a time, because a recursive mkdir never
 * returns under `/proc`, which doesn't allow new files.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  mkdirSync(folder, { mode });
}

/** Why this user can't write to a folder, as a file system error code; undefined if it can. */
export function writeFault(folder: string): string | undefined {
  try {
    accessSync(join(folder, '/'), constants.W_OK);
    return undefined;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code;
  }
}
