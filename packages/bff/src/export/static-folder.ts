import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

/** The record that an export leaves for the next one: its files, and the sources that it knew. */
const RECORD = '.pulse-export.json';
const LOCK = '.pulse-export.lock';

const recordSchema = z.object({
  files: z.array(z.string()),
  /** Files that readers may still request: removed by the export after the next. */
  leaving: z.array(z.string()),
  sources: z.array(z.string()),
});

/** What an export knows of the one before it. */
export type ExportRecord = z.infer<typeof recordSchema>;

/** The folder cannot be written to: the message says why, and what to do. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

/** A folder of files for a file server. Replaces files atomically and never touches files that no export wrote. */
export class StaticFolder {
  readonly record: ExportRecord;
  readonly #root: string;
  readonly #lock: FolderLock;
  readonly #written = new Set<string>();

  private constructor(root: string, lock: FolderLock, record: ExportRecord) {
    this.#root = root;
    this.#lock = lock;
    this.record = record;
  }

  /** Opens `root` for one export, making it where it is not there. Throws `FolderError` while another export writes there. */
  static async open(root: string): Promise<StaticFolder> {
    const lock = await lockFolder(root).catch(refuseFolder);
    if (lock === undefined)
      throw new FolderError(
        'Cannot export to this folder: another export writes here. Let it end; if it was killed, try again in 20 seconds',
      );
    return new StaticFolder(root, lock, await readRecord(join(root, RECORD)));
  }

  /** The text of a file that an export wrote, or undefined. */
  async read(path: string): Promise<string | undefined> {
    return this.#isOurs(path) ? await textOf(join(this.#root, path)) : undefined;
  }

  /** Keeps a file of an earlier export; returns false if there is none. */
  async keep(path: string): Promise<boolean> {
    if ((await this.read(path)) === undefined) return false;
    this.#written.add(path);
    return true;
  }

  /** Writes a file atomically. Throws `FolderError` if a file that no export wrote is in its place. */
  async write(path: string, content: string | Buffer): Promise<void> {
    const target = join(this.#root, path);
    const bytes = Buffer.from(content);
    if (!this.#isOurs(path) && !(await isSameOrAbsent(target, bytes)))
      throw new FolderError(`Cannot write ${path}: a file that no export wrote is there; name a folder of its own`);
    this.#requireLock();
    await mkdir(dirname(target), { recursive: true });
    await replace(target, bytes);
    this.#written.add(path);
  }

  /**
   * Ends the export: removes what earlier ones wrote and this one did not, but what `mayBeNamed` (by an answer that a reader
   * still has), which goes one export later.
   */
  async finish(sources: readonly string[], mayBeNamed: (path: string) => boolean): Promise<void> {
    this.#requireLock();
    const { files, leaving } = this.record;
    const left = files.filter((path) => !this.#written.has(path));
    const ended = leaving.filter((path) => !this.#written.has(path));
    const named = left.filter(mayBeNamed);
    const record = { files: [...this.#written], leaving: named, sources: [...sources] } satisfies ExportRecord;
    await replace(join(this.#root, RECORD), Buffer.from(`${JSON.stringify(record, null, 2)}\n`));
    for (const path of [...left.filter((path) => !mayBeNamed(path)), ...ended]) await this.#remove(path);
  }

  close(): void {
    this.#lock.release();
  }

  #requireLock(): void {
    if (this.#lock.isHeld()) return;
    throw new FolderError('Cannot go on: another export has taken over the folder, or its lock file was removed');
  }

  #isOurs(path: string): boolean {
    return this.record.files.includes(path) || this.record.leaving.includes(path) || this.#written.has(path);
  }

  /** Folders go with their last file. */
  async #remove(path: string): Promise<void> {
    await rm(join(this.#root, path), { force: true });
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      const isRemoved = await rmdir(join(this.#root, folder)).then(
        () => true,
        () => false,
      );
      if (!isRemoved) return;
    }
  }
}

async function lockFolder(root: string): Promise<FolderLock | undefined> {
  await mkdir(root, { recursive: true });
  return takeLock(join(root, LOCK));
}

/** Throws `FolderError` for a folder that cannot be used. */
function refuseFolder(error: NodeJS.ErrnoException): never {
  const { code = 'unknown reason' } = error;
  const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in its place' : `it cannot be written (${code})`;
  throw new FolderError(`Cannot use the folder to export to: ${why}; name another one`);
}

/** Reads the record; paths that lead outside the folder are dropped. */
async function readRecord(path: string): Promise<ExportRecord> {
  try {
    const record = recordSchema.parse(JSON.parse((await textOf(path)) ?? ''));
    const isInside = (file: string): boolean => !file.startsWith('/') && !file.split('/').includes('..');
    return { ...record, files: record.files.filter(isInside), leaving: record.leaving.filter(isInside) };
  } catch {
    return { files: [], leaving: [], sources: [] };
  }
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

async function isSameOrAbsent(path: string, bytes: Buffer): Promise<boolean> {
  try {
    return bytes.equals(await readFile(path));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

async function replace(target: string, bytes: Buffer): Promise<void> {
  const temporary = join(dirname(target), `.${target.split('/').at(-1)}.tmp`);
  try {
    await writeFile(temporary, bytes);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

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
