import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns a line that shows which `npm start` already uses a data folder, or undefined if none does. */
export function usedFolder(folder: string): string | undefined {
  const file = claimIn(folder);
  const [id, startedAt] = existsSync(file) ? readFileSync(file, 'utf8').split(' ') : [];
  const pid = Number(id);
  if (!pid || !isRunning(pid, startedAt)) return undefined;
  return `Can’t start: Pulse Card is already running with the data folder ${folder} (process ${pid}). Stop it, or set PULSE_DATA_DIR to another folder. If this process is a different program, delete ${file}`;
}

/** Claims a data folder until this process ends. */
export function claimFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(claimIn(folder), [process.pid, startOf(process.pid)].join(' ').trim());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Can’t start: the data folder (PULSE_DATA_DIR) can’t be created: ${reason}`, { cause: error });
  }
  process.once('exit', () => rmSync(claimIn(folder), { force: true }));
}

function claimIn(folder: string): string {
  return join(folder, 'start.pid');
}

/** Returns whether the process that made a claim is still running. Another process might have its ID by now. */
function isRunning(pid: number, startedAt: string | undefined): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process that belongs to another user can't be signaled.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const start = startOf(pid);
  return startedAt === undefined || start === undefined || start === startedAt;
}

/** The position of `starttime` in `/proc/PID/stat` (proc_pid_stat(5)), after the command, which can contain spaces. */
const START_FIELD = 19;

/** When a process started, in clock ticks since the machine started. Undefined if the system isn't Linux. */
function startOf(pid: number): string | undefined {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  return readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ')[START_FIELD];
}
