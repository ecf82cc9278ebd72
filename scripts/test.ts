import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { buildSteps, packageSteps } from './build-steps.ts';
import { ROOT } from './run.ts';
import { type Program, PROGRAMS, provide } from './setup/programs.ts';
import { type Failure, reportFailures, runSteps, type Step } from './steps.ts';
import { runElementTests, runEndToEndTests } from './test/browser-tests.ts';
import { runNodeTests } from './test/node-tests.ts';
import type { Outcome } from './test/outcome.ts';
import { runWithRetry } from './test/retry.ts';
import { watch } from './test/watch.ts';
import { chooseSuites, type Suite } from './test/suites.ts';
import { type Row, totalsTable } from './test/totals.ts';
import { readArguments, runMain } from './usage.ts';

/**
 * The number of suites that run in parallel. While one suite waits for a server or a browser, the other suite uses the
 * processor.
 */
const CONCURRENCY = 2;

// `npm test` runs all tests except the long ones. `-- bff` runs only the suite "bff". `-- permit-queue` runs the files
// with "permit-queue" in their path. `-- --watch permit-queue` runs these files again after each change. `-- --long` (`npm
// run test:long`) also runs the long tests.
await runMain(async () => {
  const { values, positionals: filters } = readArguments({
    long: { type: 'boolean', default: false },
    'skip-build': { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
    // Read by `installFromSystem()`.
    install: { type: 'boolean', default: false },
  });
  const chosen = chooseSuites({ filters, isLong: values.long });
  if (values.long) prepareLong();
  // A cache of compiled code saves time, because hundreds of processes load the same modules.
  process.env['NODE_COMPILE_CACHE'] ??= join(ROOT, '.cache/compiled');
  const missing = await provide(chosen.flatMap(({ needs = [], uses = [] }) => [...needs, ...uses]));
  const suites = chosen.filter(({ needs = [] }) => !needs.some((program) => missing.has(program)));
  const startedMs = performance.now();
  const failures = await runSteps(values['skip-build'] ? [] : stepsBefore(suites), { stopAtFailure: true });
  if (values.watch && failures.length === 0) return watch(suites);
  const rows: Row[] = [];
  if (failures.length === 0) {
    const steps = suites.map((suite) => testStep(suite, values.long, rows));
    failures.push(...(await runSteps(steps, { concurrency: CONCURRENCY })));
  }
  const leftOut = leftOutLines(chosen, missing);
  // No driver of another browser can emulate media.
  const inChromium = rows.filter(({ step }) => suites.some(({ name, browser }) => name === step && !browser));
  if (process.env['CI'] !== undefined) failures.push(...skippedUnderCi(inChromium, leftOut));
  if (process.env['GITHUB_REF'] === 'refs/heads/main') failures.push(...retriedOnMain(rows));
  reportFailures(failures);
  console.log(
    ['', ...leftOut, ...retriedLines(rows), totalsTable(rows, (performance.now() - startedMs) / 1000)].join('\n'),
  );
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

function testStep(suite: Suite, isLong: boolean, rows: Row[]): Step {
  return {
    title: `Test ${suite.name}`,
    async work(progress) {
      const startedMs = performance.now();
      const run = (files: readonly string[]) => runSuite({ ...suite, files }, isLong, progress);
      // In CI, failed tests are repeated, except for long tests. Playwright repeats its failed tests itself.
      const isRetried = process.env['CI'] !== undefined && !isLong && suite.kind !== 'end-to-end';
      const outcome = isRetried
        ? await runWithRetry(suite.files, run)
        : { retriedFiles: [], ...(await run(suite.files)) };
      const { passed, failed, skipped, retriedFiles, report } = outcome;
      const seconds = (performance.now() - startedMs) / 1000;
      rows.push({ step: suite.name, passed, failed, skipped, seconds, retriedFiles });
      if (failed > 0) throw new Error(report);
      if (report !== '') console.log(report);
    },
  };
}

function runSuite(
  { kind, files, browser }: Suite,
  isLong: boolean,
  progress: (line: string) => void,
): Promise<Outcome> {
  if (kind === 'node') return runNodeTests(files, progress);
  return kind === 'element'
    ? runElementTests(files, browser ?? 'chromium', progress)
    : runEndToEndTests(files, { isLong }, progress);
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

function retriedLines(rows: readonly Row[]): string[] {
  return rows.flatMap(({ step, retriedFiles }) =>
    retriedFiles.map((file) => `Failed and ran once more: ${step}: ${file}`),
  );
}

/** A test that passes only the second time is a bug. On the main branch, such a test is a failure. */
function retriedOnMain(rows: readonly Row[]): Failure[] {
  return retriedLines(rows).map((reason) => ({ title: 'On main, every test must pass the first time', reason }));
}

function skippedUnderCi(rows: readonly Row[], leftOut: readonly string[]): Failure[] {
  const skipped = rows.filter((row) => row.skipped > 0).map((row) => `${row.step}: ${row.skipped} tests skipped`);
  return [...leftOut, ...skipped].map((reason) => ({ title: 'In CI, no test may be left out', reason }));
}
