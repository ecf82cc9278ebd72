import { readFileSync } from 'node:fs';

/** The kernel's unit of CPU time, in ticks per second. It is 100 on every common Linux system. */
const TICKS_PER_SECOND = 100;

/** The CPU time that a process and its children have used, in seconds. Undefined if there is no `/proc`. */
export function cpuSecondsOf(pid: number): number | undefined {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    const ticks = [pid, ...children].map((each) => ticksIn(readFileSync(`/proc/${each}/stat`, 'utf8')));
    return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

/**
 * The sum of user and system time in a line of `/proc/PID/stat` (proc(5)). The process name before these fields can
 * contain any character.
 */
function ticksIn(stat: string): number {
  const [, , , , , , , , , , , user = '0', system = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(user) + Number(system);
}

/** The memory that a process uses, in MiB. Undefined if there is no `/proc`. */
export function residentMiBOf(pid: number): number | undefined {
  try {
    return residentMiBIn(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The resident set size in the text of `/proc/PID/status` (proc(5)), in MiB. */
function residentMiBIn(status: string): number | undefined {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Math.round(Number(kibibytes) / 1024);
}
