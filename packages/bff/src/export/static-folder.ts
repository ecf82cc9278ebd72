import { randomUUID } from 'node:crypto';
import { constants, rmSync } from 'node:fs';
import { lstat, mkdir, open, realpath, rename, rm, rmdir, writeFile } from 'node:fs/promises';
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

/**
 * A folder of files for a file server. Replaces files atomically, never touches files that no export wrote, and follows no links:
 * others may write to the folder.
 */
export class StaticFolder {
  readonly record: ExportRecord;
  readonly #root: string;
  readonly #written = new Set<string>();

  private constructor(root: string, record: ExportRecord) {
    this.#root = root;
    this.record = record;
  }

  /** Opens `root` for one export, making it where it is not there. Throws `FolderError` where it cannot be used. */
  static async open(root: string): Promise<StaticFolder> {
    const real = await lockedFolder(root).catch(refuseFolder);
    return new StaticFolder(real, await readRecord(join(real, RECORD)));
  }

  /** The text of a file that an export wrote, or undefined. */
  async read(path: string): Promise<string | undefined> {
    if (!this.#isOurs(path) || (await this.#linkOn(path)) !== undefined) return undefined;
    return (await bytesOf(join(this.#root, path)).catch(() => undefined))?.toString();
  }

  /** Keeps a file of an earlier export; returns false if there is none. */
  async keep(path: string): Promise<boolean> {
    if ((await this.read(path)) === undefined) return false;
    this.#written.add(path);
    return true;
  }

  /** Writes a file atomically. Throws `FolderError` if a file that no export wrote is in its place. */
  async write(path: string, content: string | Buffer): Promise<void> {
    if (!isBelow(path)) throw new FolderError(`Cannot write ${path}: it is not below the folder`);
    await this.#makeFolders(path);
    const target = join(this.#root, path);
    const bytes = Buffer.from(content);
    if (!this.#isOurs(path) && !(await isSameOrAbsent(target, bytes)))
      throw new FolderError(`Cannot write ${path}: a file that no export wrote is there; name a folder of its own`);
    await replace(target, bytes);
    this.#written.add(path);
  }

  /**
   * Ends the export: removes what earlier ones wrote and this one did not, but what `mayBeNamed` (by an answer that a reader
   * still has), which goes one export later.
   */
  async finish(sources: readonly string[], mayBeNamed: (path: string) => boolean): Promise<void> {
    const { files, leaving } = this.record;
    const left = files.filter((path) => !this.#written.has(path));
    const ended = leaving.filter((path) => !this.#written.has(path));
    const named = left.filter(mayBeNamed);
    const record = { files: [...this.#written], leaving: named, sources: [...sources] } satisfies ExportRecord;
    await replace(join(this.#root, RECORD), Buffer.from(`${JSON.stringify(record, null, 2)}\n`));
    for (const path of [...left.filter((path) => !mayBeNamed(path)), ...ended]) await this.#remove(path);
  }

  close(): void {
    rmSync(join(this.#root, LOCK), { force: true });
  }

  #isOurs(path: string): boolean {
    return this.record.files.includes(path) || this.record.leaving.includes(path) || this.#written.has(path);
  }

  /** Makes the folders of `path`; a file of ours that is in the place of one goes. */
  async #makeFolders(path: string): Promise<void> {
    for (const folder of foldersOf(path)) {
      const link = await this.#linkOn(`${folder}/file`);
      if (link !== undefined) throw new FolderError(`Cannot write ${path}: ${link} is a link, which may lead anywhere`);
      const full = join(this.#root, folder);
      if (this.#isOurs(folder) && (await kindOf(full)) === 'file') await rm(full);
      await mkdir(full, { recursive: true });
    }
  }

  /** The first folder on the way to `path` that is a link; undefined where none is. */
  async #linkOn(path: string): Promise<string | undefined> {
    for (const folder of foldersOf(path)) if ((await kindOf(join(this.#root, folder))) === 'link') return folder;
    return undefined;
  }

  /** Folders go with their last file. */
  async #remove(path: string): Promise<void> {
    const full = join(this.#root, path);
    if ((await this.#linkOn(path)) !== undefined || (await kindOf(full)) === 'folder') return;
    await rm(full, { force: true });
    for (const folder of foldersOf(path).toReversed()) {
      const isRemoved = await rmdir(join(this.#root, folder)).then(
        () => true,
        () => false,
      );
      if (!isRemoved) return;
    }
  }
}

/** Makes the folder and takes its lock, a file that nobody else can create. Resolves to where the folder is. */
async function lockedFolder(root: string): Promise<string> {
  await mkdir(root, { recursive: true });
  const real = await realpath(root);
  try {
    await writeFile(join(real, LOCK), `${process.pid}\n`, { flag: 'wx' });
    return real;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new FolderError(
      `Cannot export to this folder: another export writes there; if it was killed, remove ${join(real, LOCK)}`,
    );
  }
}

/** Throws `FolderError` for a folder that cannot be used. */
function refuseFolder(error: NodeJS.ErrnoException): never {
  if (error instanceof FolderError) throw error;
  const { code = 'unknown reason' } = error;
  const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'a file is in its place' : `it cannot be written (${code})`;
  throw new FolderError(`Cannot use the folder to export to: ${why}; name another one`);
}

/** Reads the record; paths that do not lead below the folder are dropped. */
async function readRecord(path: string): Promise<ExportRecord> {
  try {
    const record = recordSchema.parse(JSON.parse((await bytesOf(path)).toString()));
    return { ...record, files: record.files.filter(isBelow), leaving: record.leaving.filter(isBelow) };
  } catch {
    return { files: [], leaving: [], sources: [] };
  }
}

/** Returns whether a path leads to a file below the folder. */
function isBelow(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

/** The folders on the way to `path`, from the top. */
function foldersOf(path: string): string[] {
  const names = dirname(path).split('/');
  return path.includes('/') ? names.map((_, at) => names.slice(0, at + 1).join('/')) : [];
}

async function kindOf(path: string): Promise<'absent' | 'link' | 'folder' | 'file'> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return 'absent';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isDirectory() ? 'folder' : 'file';
}

/** Reads a file that is no link. */
async function bytesOf(path: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function isSameOrAbsent(path: string, bytes: Buffer): Promise<boolean> {
  try {
    return bytes.equals(await bytesOf(path));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Writes a new file with a name that nobody can guess, and renames it: a link at `target` is replaced, not followed. */
async function replace(target: string, bytes: Buffer): Promise<void> {
  const unfinished = join(dirname(target), `.${randomUUID()}.tmp`);
  try {
    await writeFile(unfinished, bytes, { flag: 'wx' });
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
