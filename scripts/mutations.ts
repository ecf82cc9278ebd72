// Changes one operator at a time in the safety-critical modules and lists the changes that no test notices (Stryker).
// `npm run mutations` changes all modules. With `-- pulses verify`, it changes only the modules with "pulses" or
// "verify" in their path.
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run } from './run.ts';
import { runMain, UsageError } from './usage.ts';

/** Only a weekly workflow needs Stryker, so it isn't a dependency. */
// renovate: datasource=npm
const STRYKER = '@stryker-mutator/core@10.1.1';

/**
 * The modules that are changed, each with the minimum percentage of changes that tests must notice, and with its tests
 * if the module doesn't have its own test file.
 */
const MODULES: Readonly<Record<string, readonly [minScore: number, tests?: string]>> = {
  'packages/bff/src/http/access.ts': [80, 'packages/bff/net/readers.test.ts'],
  'packages/bff/src/http/cache-scope.ts': [80],
  'packages/bff/src/http/origins.ts': [80, 'packages/bff/net/threats.test.ts'],
  'packages/bff/src/pulses/pulses.ts': [80, 'packages/bff/src/pulses/*.test.ts'],
  'packages/bff/src/upstream/call-budget.ts': [76],
  'packages/bff/src/upstream/hosts.ts': [80, 'packages/bff/src/upstream/upstream-hosts.test.ts'],
  'packages/token/src/keys.ts': [80],
  'packages/token/src/verify.ts': [80],
};

/** A test fails if it waits this long for a response that never arrives. */
const TEST_TIMEOUT_MS = 30_000;

await runMain(async () => {
  const words = process.argv.slice(2);
  const files = Object.keys(MODULES).filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
  if (files.length === 0) throw new UsageError(`No mutated module has "${words.join('" or "')}" in its path`);
  for (const file of files) if (!(await mutate(file))) process.exitCode = 1;
});

/** Resolves to false if tests notice fewer changes than they must. */
async function mutate(file: string): Promise<boolean> {
  const config = join(ROOT, '.cache/stryker.json');
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  writeFileSync(config, JSON.stringify(settingsFor(file)));
  return run('npx', ['--yes', '--package', STRYKER, 'stryker', 'run', config]);
}

function settingsFor(file: string): object {
  const [minScore = 0, tests = file.replace(/\.ts$/, '.test.ts')] = MODULES[file] ?? [];
  return {
    mutate: [file],
    testRunner: 'command',
    commandRunner: {
      command: [
        process.execPath,
        '--conditions=source',
        '--test',
        `--test-timeout=${TEST_TIMEOUT_MS}`,
        ...globSync(tests, { cwd: ROOT }),
      ].join(' '),
    },
    // Stryker counts a change as noticed if its tests take longer. A busy machine must not have this effect.
    timeoutMS: 2 * TEST_TIMEOUT_MS,
    // Stryker can't use TypeScript 7, and Node runs the sources without compilation.
    tsconfigFile: 'none',
    ignorePatterns: ['dist', '.cache', '.data', 'bench/results'],
    tempDirName: '.cache/stryker',
    reporters: ['clear-text'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    concurrency: 2,
    // If tests notice fewer changes, the process exits with an error.
    thresholds: { high: 90, low: 80, break: minScore },
  };
}
