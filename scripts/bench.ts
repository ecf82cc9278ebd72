import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSteps } from './build-steps.ts';
import { ROOT, run } from './run.ts';
import { type Failure, reportFailures, runSteps } from './steps.ts';
import { nearestOf, runMain, UsageError } from './usage.ts';

const BENCH = join(ROOT, 'bench');

const benchmarks = readdirSync(BENCH).filter((name) => existsSync(join(BENCH, name, 'run.ts')));

// `npm run bench -- all --short` runs all benchmarks in their short form. `-- load hit-path` runs only these two. `--
// --list` lists all benchmarks.
await runMain(async () => {
  const given = process.argv.slice(2);
  const optionsFrom = given.findIndex((word) => word.startsWith('-'));
  const words = optionsFrom < 0 ? given : given.slice(0, optionsFrom);
  const names = words.length === 0 || words.includes('all') ? benchmarks : words;
  const options = optionsFrom < 0 ? [] : given.slice(optionsFrom);
  const unknown = names.find((name) => !benchmarks.includes(name));
  if (unknown !== undefined) throw new UsageError(`Unknown benchmark "${unknown}"${nearestOf(unknown, benchmarks)}`);
  if (options.includes('--list')) return printBenchmarks();
  const failures = await runSteps(buildSteps(), { stopAtFailure: true });
  if (failures.length === 0) failures.push(...(await runAll(names, options)));
  reportFailures(failures);
});

async function runAll(names: readonly string[], options: readonly string[]): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (const name of names) {
    console.log(`\n── ${name} ──`);
    const isDone = await run(process.execPath, ['--conditions=source', join(BENCH, name, 'run.ts'), ...options]);
    if (!isDone) failures.push({ title: name, reason: 'Its output is above.' });
  }
  return failures;
}

function printBenchmarks(): void {
  for (const name of benchmarks) console.log(`${name.padEnd(18)}${purposeOf(name)}`);
}

/** A benchmark's purpose: the comment on the first line of its file. */
function purposeOf(name: string): string {
  const [first = ''] = readFileSync(join(BENCH, name, 'run.ts'), 'utf8').split('\n', 1);
  return first.startsWith('// ') ? first.slice(3) : '';
}
