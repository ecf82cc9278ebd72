import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Readable by its owner alone: the last answers are nobody else's. */
const OWNER_ONLY = 0o700;

/** Makes `PULSE_STATE_DIR` where it is missing; throws an error that names the variable where it can't be written. */
export function prepareStateDir(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    // The cause would add nothing but a stack.
    // eslint-disable-next-line preserve-caught-error
    throw new Error(`PULSE_STATE_DIR: must be a folder that can be written: ${reason}`);
  }
}

/** Level by level: asked for all at once, Node never returns where nothing can be made, as under `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: OWNER_ONLY });
}
