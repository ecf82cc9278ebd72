import { readFileSync } from 'node:fs';

/** Memory that a process holds, in MiB; undefined where there is no `/proc`. */
export function residentMiBOf(pid: number): number | undefined {
  try {
    return residentMiBIn(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The resident set in the text of `/proc/PID/status` (proc(5)), in MiB. */
export function residentMiBIn(status: string): number | undefined {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? undefined : Math.round(Number(kibibytes) / 1024);
}
