import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Only for the owner. */
const PRIVATE_MODE = 0o600;

/**
 * Replaces a file atomically; a link at `path` is replaced, not followed. The name of the unfinished file is random: processes in
 * containers may share a process id.
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

/** Makes a folder and those above it. One level at a time: a recursive mkdir never returns under `/proc`, because nothing can be created there. */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  mkdirSync(folder, { mode });
}
