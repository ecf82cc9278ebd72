import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';

/** How often the owner renews its lock. */
const RENEWAL_MS = 5_000;

/** A lock that was not renewed for this long belongs to a process that is gone; one from the future, too: a clock was set back. */
const STALE_MS = 20_000;

/** A lock that this process has taken. */
export interface FolderLock {
  /** Returns false once another process has taken the lock over, as after this one was suspended. */
  isHeld(): boolean;
  release(): void;
}

/**
 * Takes the lock file at `path`; undefined while another process holds it. The time of the file tells whether its owner is alive,
 * since process ids mean nothing between containers. Throws where the file cannot be written.
 */
export function takeLock(path: string): FolderLock | undefined {
  const owner = randomUUID();
  if (isStale(path)) removeStale(path);
  try {
    writeFileSync(path, owner, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
  const isHeld = (): boolean => ownerOf(path) === owner;
  const renewal = setInterval(() => void (isHeld() && renew(path)), RENEWAL_MS).unref();
  return {
    isHeld,
    release() {
      clearInterval(renewal);
      if (isHeld()) rmSync(path, { force: true });
    },
  };
}

function isStale(path: string): boolean {
  const file = statSync(path, { throwIfNoEntry: false });
  return file !== undefined && Math.abs(Date.now() - file.mtimeMs) > STALE_MS;
}

/** Removes a stale lock. Only one process can rename it; who renamed the new lock of another instead puts that back. */
function removeStale(path: string): void {
  const removed = `${path}.${randomUUID()}`;
  try {
    renameSync(path, removed);
    if (isStale(removed)) rmSync(removed, { force: true });
    else renameSync(removed, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function renew(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // The folder is gone, or cannot be written: the next write of the export says so.
  }
}

function ownerOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
