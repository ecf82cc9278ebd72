import { readdirSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSteps } from './build-steps.ts';
import { ROOT, run as runCommand } from './run.ts';
import { reportFailures, runSteps } from './steps.ts';

const BENCH = join(ROOT, 'bench');

// `npm run bench` runs all, `npm run bench -- budget outage` those, `-- budget --minutes 2` one with options, `-- --list` none.
const given = process.argv.slice(2);
const optionsFrom = given.findIndex((word) => word.startsWith('-'));
const names = optionsFrom < 0 ? given : given.slice(0, optionsFrom);
const options = optionsFrom < 0 ? [] : given.slice(optionsFrom);
const all = readdirSync(BENCH).filter((name) => existsSync(join(BENCH, name, 'run.ts')));

sayWhatThereIs();
if (!options.includes('--list')) await run();

async function run(): Promise<void> {
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) {
    console.error(`Cannot run "${unknown.join('", "')}": there is no such benchmark`);
    process.exitCode = 1;
    return;
  }
  const chosen = names.length === 0 ? all : names;
  const failures = await runSteps(buildSteps(), { stopAtFailure: true });
  for (const name of failures.length > 0 ? [] : chosen) {
    console.log(`\n── ${name} ──`);
    const args = ['--conditions=source', join(BENCH, name, 'run.ts'), ...options];
    if (!(await runCommand(process.execPath, args))) failures.push({ title: name, reason: 'see above' });
  }
  reportFailures('Benchmarks', failures);
}

function sayWhatThereIs(): void {
  console.log('Benchmarks (results in bench/results):');
  for (const name of all) console.log(`  ${name.padEnd(12)}${purposeOf(name)}`);
}

/** The comment in a benchmark's first line. */
function purposeOf(name: string): string {
  const [first = ''] = readFileSync(join(BENCH, name, 'run.ts'), 'utf8').split('\n', 1);
  return first.startsWith('// ') ? first.slice(3) : '';
}
