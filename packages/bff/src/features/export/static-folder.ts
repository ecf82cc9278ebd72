import { existsSync, mkdirSync, readFileSync, realpathSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { makeFolder, replaceFile } from '../../lib/replace-file.ts';

/** The file in which an export records, for the next one, the files it wrote. */
const RECORD = '.pulse-export.json';
const LOCK = '.pulse-export.lock';

/** File mode. The file server may run as a different user, so the files are readable by everyone. */
const PUBLIC_MODE = 0o644;

/** Paths of the files under the folder. Other paths are dropped. */
const pathsSchema = z.array(z.string()).transform((paths) => paths.filter(isBelow));

const recordSchema = z.object({
  files: pathsSchema,
  /** Files that readers may still request. They are removed by the export after the next one. */
  leaving: pathsSchema,
});

/** The record of the previous export. */
type ExportRecord = z.infer<typeof recordSchema>;

/**
 * A folder that a file server serves. Files are replaced atomically. Files that no export wrote are never touched.
 * Symlinks aren't followed, because someone else might be able to write to the folder.
 */
export class StaticFolder {
  readonly record: ExportRecord;
  readonly #root: string;
  readonly #written = new Set<string>();

  /** Opens `root` for one export. Creates the folder if it doesn't exist. Throws if the folder can't be used. */
  constructor(root: string) {
    this.#root = lockedFolder(root);
    this.record = readRecord(join(this.#root, RECORD));
  }

  /** The content of a file that an export wrote; undefined if no export wrote the file. */
  read(path: string): string | undefined {
    const file = join(this.#root, path);
    return this.#isOurs(path) && isWithoutLink(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** Keeps the file from an earlier export, if there is one. */
  keep(path: string): void {
    if (this.read(path) !== undefined) this.#written.add(path);
  }

  /** Writes a file atomically. Throws if something that no export wrote already exists at this path. */
  write(path: string, content: string | Buffer): void {
    if (!isBelow(path)) throw new Error(`Can’t write ${path}: it isn’t inside the folder`);
    try {
      this.#write(path, content);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      throw new Error(`Can’t write ${path} (${code}): free disk space, or specify a different folder`, {
        cause: error,
      });
    }
  }

  #write(path: string, content: string | Buffer): void {
    this.#makeFolders(path);
    const file = join(this.#root, path);
    if (!this.#isOurs(path)) {
      if (existsSync(file))
        throw new Error(
          `Can’t write ${path}: it already exists and wasn’t created by an export; specify a different folder`,
        );
      // The path is recorded before the file exists, because the next export must recognize the file even if this one
      // is interrupted.
      this.record.files.push(path);
      this.#save(this.record);
    }
    replaceFile(file, content, PUBLIC_MODE);
    this.#written.add(path);
  }

  /**
   * Ends the export. Removes the files that earlier exports wrote but this one didn't. If `mayName` returns true for a
   * file, a reader's page may still refer to it, so it is left to the next export to remove.
   */
  finish(mayName: (path: string) => boolean): void {
    const { files, leaving } = this.record;
    const left = files.filter((path) => !this.#written.has(path));
    const ended = leaving.filter((path) => !this.#written.has(path));
    this.#save({ files: [...this.#written], leaving: left.filter(mayName) });
    for (const path of [...left.filter((path) => !mayName(path)), ...ended]) this.#remove(path);
  }

  close(): void {
    rmSync(join(this.#root, LOCK), { force: true });
  }

  #save(record: Readonly<Record<keyof ExportRecord, readonly string[]>>): void {
    replaceFile(join(this.#root, RECORD), `${JSON.stringify(record, null, 2)}\n`);
  }

  #isOurs(path: string): boolean {
    const { files, leaving } = this.record;
    return files.includes(path) || leaving.includes(path);
  }

  #makeFolders(path: string): void {
    let folder = this.#root;
    for (const name of dirname(path).split('/')) {
      folder = join(folder, name);
      mkdirSync(folder, { recursive: true });
      if (!isWithoutLink(folder))
        throw new Error(`Can’t write ${path}: ${name} is a link, which might lead outside the folder`);
    }
  }

  /** Removes a file and any folders that become empty. */
  #remove(path: string): void {
    const file = join(this.#root, path);
    if (!isWithoutLink(dirname(file))) return;
    try {
      rmSync(file, { force: true });
      for (let folder = dirname(file); folder !== this.#root; folder = dirname(folder)) rmdirSync(folder);
    } catch {
      // The folder contains other files.
    }
  }
}

/** Creates the folder and locks it. The lock is a file that only one process can create. Returns the folder's path. */
function lockedFolder(root: string): string {
  let path = root;
  try {
    makeFolder(root);
    path = join(realpathSync(root), LOCK);
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
    return dirname(path);
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && path !== root) throw new Error(`${LOCKED}, remove ${path}`, { cause: error });
    const isFile = code === 'EEXIST' || code === 'ENOTDIR';
    const why = isFile ? 'there is a file with this name' : `it can’t be written (${code})`;
    throw new Error(`Can’t export to this folder: ${why}; specify a different folder`, { cause: error });
  }
}

const LOCKED = 'Can’t export to this folder: another export is writing to it; if that export was killed';

function readRecord(path: string): ExportRecord {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return { files: [], leaving: [] };
  }
}

/** Returns whether a path leads to a file below the folder. */
function isBelow(path: string): boolean {
  return !path.includes('\0') && path.split('/').every((name) => name !== '' && name !== '.' && name !== '..');
}

/** Returns whether `path` exists, and neither the file nor a folder in the path is a symlink. */
function isWithoutLink(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}
