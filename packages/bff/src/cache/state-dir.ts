import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../config.ts';

/** Readable by its owner alone: the last answers are nobody else's. */
const OWNER_ONLY = 0o700;

/** Makes `PULSE_STATE_DIR` where it is missing; throws `ConfigError` where it is no folder, or can't be written. */
export function prepareStateDir(folder: string): void {
  const reason = faultOf(folder);
  if (reason !== undefined)
    throw new ConfigError([`PULSE_STATE_DIR: must be a folder that this process can write to (${reason})`]);
}

/** Why nothing can be kept in the folder, in a word. */
function faultOf(folder: string): string | undefined {
  try {
    makeFolder(folder);
    if (!statSync(folder).isDirectory()) return 'ENOTDIR';
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  }
}

/** Level by level: asked for all at once, Node never returns where nothing can be made, as under `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: OWNER_ONLY });
}
