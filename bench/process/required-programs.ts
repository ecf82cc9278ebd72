import { accessSync, constants } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';

/** A program that npm does not have: the variable that names it, other programs that do as well, and its packages. */
interface Program {
  readonly variable?: string;
  readonly instead?: string;
  readonly apt: string;
  readonly brew?: string;
}

const PROGRAMS = {
  wrk: { apt: 'wrk', brew: 'wrk' },
  nginx: { variable: 'PULSE_NGINX', apt: 'nginx-light', brew: 'nginx' },
  varnishd: { variable: 'PULSE_VARNISHD', apt: 'varnish', brew: 'varnish' },
  'redis-server': { variable: 'PULSE_REDIS_SERVER', instead: 'valkey-server', apt: 'redis-server', brew: 'redis' },
  // Linux alone can keep a process on one core.
  taskset: { apt: 'util-linux' },
} satisfies Record<string, Program>;

/** Ends the process with one line that says what to install when a program that the benchmark needs is missing. */
export function requirePrograms(...names: (keyof typeof PROGRAMS)[]): void {
  // Debian keeps servers where only root's shell looks.
  process.env['PATH'] = [process.env['PATH'], '/usr/sbin'].join(delimiter);
  const missing = names.filter((name) => !isInstalled(name, PROGRAMS[name]));
  if (missing.length === 0) return;
  const packages = missing.map((name): Program => PROGRAMS[name]);
  const apt = packages.map((program) => program.apt).join(' ');
  const brew = packages.flatMap((program) => program.brew ?? []).join(' ');
  const macos = brew === '' ? '' : `; macOS: brew install ${brew}`;
  console.error(
    `${benchmarkName()} needs ${names.join(', ')}; missing here: ${missing.join(', ')}. Debian: apt-get install ${apt}${macos}`,
  );
  process.exit(1);
}

function isInstalled(name: string, { variable, instead }: Program): boolean {
  const named = variable === undefined ? undefined : process.env[variable];
  if (named !== undefined && named !== '') return isExecutable(named);
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const programs = instead === undefined ? [name] : [name, instead];
  return programs.some((program) => folders.some((folder) => isExecutable(join(folder, program))));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function benchmarkName(): string {
  return basename(dirname(process.argv[1] ?? ''));
}
