import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { buildSteps, packageSteps } from './build-steps.ts';
import { ROOT } from './run.ts';
import { type Program, PROGRAMS, provide } from '@pulse-card/testkit/system/programs';
import { reportFailures, runSteps, type Step } from './steps.ts';
import { runElementTests, runEndToEndTests } from './test/browser-tests.ts';
import { runNodeTests } from './test/node-tests.ts';
import type { Outcome } from './test/outcome.ts';
import { withSharedFiles } from './test/shared-files.ts';
import { chooseSuites, type Suite } from './test/suites.ts';
import { readArguments, runMain } from './usage.ts';

/**
 * The number of suites that run in parallel. While one suite waits for a server or a browser, the other suite uses the
 * CPU.
 */
const CONCURRENCY = 2;

const isCi = process.env['CI'] !== undefined;

// `npm test` runs all tests except the long ones. `-- bff` runs only the suite "bff". `-- permit-queue` runs the files
// with "permit-queue" in their path. `-- --long` (`npm run test:long`) also runs the long tests.
await runMain(async () => {
  const { values, positionals: filters } = readArguments({
    long: { type: 'boolean', default: false },
    'skip-build': { type: 'boolean', default: false },
    // Read by `installFromSystem()`.
    install: { type: 'boolean', default: false },
  });
  const chosen = chooseSuites({ filters, isLong: values.long });
  if (values.long) prepareLong();
  // The compile cache saves time, because hundreds of processes load the same modules.
  process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, '.cache/compiled');
  const missing = provide(chosen.flatMap(({ needs = [], uses = [] }) => [...needs, ...uses]));
  const suites = chosen.filter(({ needs = [] }) => !needs.some((program) => missing.has(program)));
  const startedMs = performance.now();
  const failures = await runSteps(values['skip-build'] ? [] : stepsBefore(suites), { stopAtFailure: true });
  const rows: Row[] = [];
  if (failures.length === 0) {
    const steps = suites.map((suite) => testStep(suite, values.long, rows));
    failures.push(...(await runSteps(steps, { concurrency: CONCURRENCY })));
  }
  const leftOut = leftOutLines(chosen, missing);
  const skipped = isCi ? [...leftOut, ...skippedLines(rows, suites)] : [];
  failures.push(...skipped.map((reason) => ({ title: 'In CI, every test must run', reason })));
  reportFailures(failures);
  console.log(['', ...leftOut, totalsTable(rows, (performance.now() - startedMs) / 1000)].join('\n'));
});

/** The steps that build what the suites need. */
function stepsBefore(suites: readonly Suite[]): Step[] {
  const needs = new Set(suites.map(({ builds }) => builds));
  if (needs.has('everything')) return buildSteps();
  return needs.has('packages') ? packageSteps() : [];
}

/** Makes the long tests use new random cases. To repeat these cases, use the printed seed. */
function prepareLong(): void {
  const seed = (process.env['PULSE_PROPERTY_SEED'] ??= String(randomInt(2 ** 31)));
  process.env['PULSE_TEST_LONG'] = '1';
  console.log(`Random cases: PULSE_PROPERTY_SEED=${seed}`);
}

interface Row extends Outcome {
  readonly name: string;
  readonly seconds: number;
}

function testStep(suite: Suite, isLong: boolean, rows: Row[]): Step {
  const { name, kind, browser = 'chromium' } = suite;
  const files = withSharedFiles(suite);
  return {
    title: `Test ${name}`,
    async work(progress) {
      const startedMs = performance.now();
      const outcome = await {
        node: () => runNodeTests(files, progress),
        element: () => runElementTests(files, browser, progress),
        'end-to-end': () => runEndToEndTests(files, isLong, progress),
      }[kind]();
      rows.push({ name, seconds: (performance.now() - startedMs) / 1000, ...outcome });
      if (outcome.failed > 0) throw new Error(outcome.report);
    },
  };
}

function leftOutLines(suites: readonly Suite[], missing: ReadonlySet<Program>): string[] {
  return suites.flatMap(({ name, needs = [], uses = [] }) =>
    [...needs, ...uses]
      .filter((program) => missing.has(program))
      .map((program) => {
        const what = needs.includes(program) ? `all tests of ${name}` : `the tests of ${name} that need ${program}`;
        const { title, variable } = PROGRAMS[program];
        return `Left out: ${what}: ${title} was not found and could not be installed. Set its path in ${variable}`;
      }),
  );
}

/** The suites with skipped tests, except in Firefox and WebKit, whose drivers can't emulate media. */
function skippedLines(rows: readonly Row[], suites: readonly Suite[]): string[] {
  return rows
    .filter(({ name, skipped }) => skipped > 0 && suites.some((suite) => suite.name === name && !suite.browser))
    .map(({ name, skipped }) => `${name}: ${skipped} tests skipped`);
}

/** The table of totals. In its last row, the seconds are the elapsed time and not a sum, because suites overlap. */
function totalsTable(rows: readonly Row[], seconds: number): string {
  const sum = (key: 'passed' | 'failed' | 'skipped') => rows.reduce((total, row) => total + row[key], 0);
  const all = { name: 'all', passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), seconds };
  const cells = [...rows, all].map(({ name, passed, failed, skipped, seconds: time }) => [
    name.padEnd(16),
    ...[passed + failed + skipped, passed, failed, skipped, Math.round(time)].map((count) => String(count).padStart(7)),
  ]);
  const heads = [
    'suite'.padEnd(16),
    ...['tests', 'passed', 'failed', 'skipped', 'seconds'].map((head) => head.padStart(7)),
  ];
  return [heads, ...cells].map((row) => row.join('  ')).join('\n');
}
