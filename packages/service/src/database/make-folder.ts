import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Readable by its owner alone. */
const OWNER_ONLY = 0o700;

/**
 * Makes a folder and those above it, where they are missing. Throws the file system's own error.
 * Level by level: asked for all at once, Node never returns where a file system lets nothing be made, as under `/proc`.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: OWNER_ONLY });
  } catch (error) {
    // Another process may have been first.
    if (!existsSync(folder)) throw error;
  }
}
