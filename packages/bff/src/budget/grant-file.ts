import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import type { GrantMemory, Recalled } from './grant-memory.ts';

/** The file is written anew after this many calls; it then holds those of the last minutes alone. */
const REWRITE_AFTER = 2_000;

/** Calls older than this are of no account to any window that can be configured. */
const KEEP_MS = 3_600_000;

export interface GrantFileOptions {
  readonly clock: Clock;
  /** @default nothing is said */
  readonly warn?: (message: string) => void;
}

/** Keeps the calls in a file, a line each: when it was granted by the machine's clock, and by the wall's. */
export function createGrantFile(path: string, { clock, warn = () => {} }: GrantFileOptions): GrantMemory {
  let written = 0;
  const line = () => `${Math.floor(clock.now())} ${Math.floor(clock.wallNow())}\n`;

  function keepOnly(agesMs: readonly number[]): void {
    const [now, wallNow] = [clock.now(), clock.wallNow()];
    const kept = agesMs.filter((ageMs) => ageMs < KEEP_MS);
    const lines = kept.map((ageMs) => `${Math.floor(now - ageMs)} ${Math.floor(wallNow - ageMs)}\n`);
    writeFileSync(`${path}.new`, lines.join(''), { mode: 0o600 });
    renameSync(`${path}.new`, path);
    written = kept.length;
  }

  function record(): boolean {
    try {
      if (++written > REWRITE_AFTER) keepOnly(agesIn(readFileSync(path, 'utf8'), clock));
      appendFileSync(path, line(), { mode: 0o600 });
      return true;
    } catch (cause) {
      warn(`Cannot write down a call in "${path}": ${codeOf(cause)}`);
      return false;
    }
  }

  function recall(): Recalled {
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const agesMs = agesIn(readFileSync(path, 'utf8'), clock);
      keepOnly(agesMs);
      return { kind: 'calls', agesMs };
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return { kind: 'first-start' };
      warn(`Cannot read the calls in "${path}": ${codeOf(cause)}`);
      return { kind: 'unreadable' };
    }
  }

  return { recall, record };
}

/** The age of each call in `text`, never taken for older than either clock says; what can't be read counts as made now. */
function agesIn(text: string, clock: Clock): number[] {
  const [now, wallNow] = [clock.now(), clock.wallNow()];
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [at, wallAt] = /^\d{1,15} \d{1,15}$/.test(line) ? line.split(' ').map(Number) : [now, wallNow];
    return Math.max(0, Math.min(now - (at ?? now), wallNow - (wallAt ?? wallNow)));
  });
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
