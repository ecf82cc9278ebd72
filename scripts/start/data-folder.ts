import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns a line that says which `npm start` already uses a data folder, or undefined if none does. */
export function usedFolder(folder: string): string | undefined {
  const file = claimIn(folder);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  if (!pid || !isRunning(pid)) return undefined;
  return `Cannot start: Pulse Card already runs with the data folder ${folder} (process ${pid}). Stop it, or set PULSE_DATA_DIR to another folder. If this process is a different program, delete ${file}`;
}

/** Claims a data folder until this process ends. */
export function claimFolder(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(claimIn(folder), String(process.pid));
  process.once('exit', () => rmSync(claimIn(folder), { force: true }));
}

function claimIn(folder: string): string {
  return join(folder, 'start.pid');
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process that belongs to another user can't be signaled.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
