import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';

/** What a figure was taken on. */
export interface Circumstances {
  readonly machine: string;
  readonly node: string;
  readonly date: string;
  readonly commit: string;
  readonly command: string;
  /** Mean number of running processes over a minute, before and after. */
  readonly load: readonly [before: number, after: number];
}

const loadBefore = loadavg()[0] ?? 0;

/** What stands beside every figure: read when the figures are there. */
export function circumstances(): Circumstances {
  const memoryGiB = (totalmem() / 2 ** 30).toFixed(0);
  return {
    machine: `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores, ${memoryGiB} GiB, ${type()} ${release()}`,
    node: process.version,
    date: new Date().toISOString(),
    commit: commitNow(),
    command: `npm run bench -- ${commandNow()}`,
    load: [loadBefore, loadavg()[0] ?? 0],
  };
}

/** The folder of the file that runs is the benchmark's name. */
function commandNow(): string {
  const name = process.argv[1]?.split(/[\\/]/).at(-2) ?? '';
  return [name, ...process.argv.slice(2)].join(' ');
}

function commitNow(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', '../../packages') !== '';
    return git('rev-parse', '--short=12', 'HEAD') + (changed ? ' with changes' : '');
  } catch {
    return 'unknown';
  }
}
