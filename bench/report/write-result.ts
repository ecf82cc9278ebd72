import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { table } from './table.ts';

/** The results folder. */
const RESULTS = join(import.meta.dirname, '../results');

/** A benchmark's result. */
export interface Result {
  /** The file name, without its extension. */
  readonly name: string;
  readonly title: string;
  /** The method, the tables, and an explanation of the figures, as Markdown. */
  readonly text: string;
  /** The figures that the docs can include, as `<!-- figure NAME.KEY -->`. */
  readonly figures?: Readonly<Record<string, number | string>>;
}

/**
 * Writes a result as a page, together with the measurement's conditions, and prints the page. A result from a busy
 * machine is only printed.
 */
export async function writeResult({ name, title, text, figures = {} }: Result): Promise<void> {
  const { machine, node, date, commit, command, load } = circumstances();
  const facts = [
    `- Machine: ${machine}; Node ${node}`,
    `- Date: ${date}; commit: ${commit}`,
    `- Command: \`${command.trim()}\``,
    `- Load average: ${load.map((each) => each.toFixed(2)).join(' before, ')} after`,
  ];
  const rows = Object.entries(figures).map(([key, figure]) => [`\`${name}.${key}\``, displayed(figure)]);
  const forDocs = rows.length === 0 ? '' : `\n\n## Figures that docs name\n\n${table(['key', 'figure'], rows)}`;
  const page = `# ${title}\n\n${facts.join('\n')}\n\n${text.trim()}${forDocs}\n`;
  console.log(`\n${page}`);
  const fault = loadFault(load, availableParallelism());
  if (fault !== undefined) {
    console.error(`Not written to bench/results/${name}.md: ${fault}`);
    process.exitCode = 1;
    return;
  }
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${name}.md`), page);
}

/**
 * Returns an explanation if the load average is too high for a measurement. After the measurement, the load includes
 * the benchmark itself, which can keep all cores busy.
 */
export function loadFault([before, after]: Circumstances['load'], cores: number): string | undefined {
  if (before > cores) return `the load was ${before.toFixed(1)} on ${cores} cores before the measurement`;
  if (after > 2 * cores) return `the load was ${after.toFixed(1)} on ${cores} cores after the measurement`;
  return undefined;
}

function displayed(figure: number | string): string {
  return typeof figure === 'number' ? figure.toLocaleString('en-US') : figure;
}

/** The machine on which the figures were measured. */
interface Circumstances {
  readonly machine: string;
  readonly node: string;
  readonly date: string;
  readonly commit: string;
  readonly command: string;
  /** The load average over one minute, before and after the measurement. */
  readonly load: readonly [before: number, after: number];
}

const loadBefore = loadavg()[0] ?? 0;

/** The conditions during the measurement, recorded after it ends. */
function circumstances(): Circumstances {
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

/** The arguments that repeat this run. The benchmark's name is the name of the main file's folder. */
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
