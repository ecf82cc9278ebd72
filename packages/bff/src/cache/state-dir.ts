import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../config.ts';

/** Only the owner may read saved answers. */
const OWNER_ONLY = 0o700;

/** Creates `PULSE_STATE_DIR` if it is missing; throws `ConfigError` where it is no folder or is not writable. */
export function prepareStateDir(folder: string): void {
  const reason = faultOf(folder);
  if (reason !== undefined)
    throw new ConfigError([`PULSE_STATE_DIR: must be a folder that this process can write to (${reason})`]);
}

/** The error code of a folder that cannot be used. */
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

/** One level at a time: a recursive mkdir never returns where nothing may be created, as under `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder, { mode: OWNER_ONLY });
}
