import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Replaces a file atomically. The name of the unfinished file is random: processes in containers may share a process id. */
export function replaceFile(path: string, text: string): void {
  const unfinished = `${path}.${randomBytes(6).toString('hex')}.new`;
  try {
    writeFileSync(unfinished, text, { mode: 0o600 });
    renameSync(unfinished, path);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    throw cause;
  }
}
