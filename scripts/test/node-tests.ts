import { relative } from 'node:path';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { ROOT } from '../run.ts';
import type { Counts, Outcome } from './outcome.ts';

/**
 * The number of test files that run in parallel: twice the cores of a small machine, because most tests wait most of
 * the time.
 */
const CONCURRENCY = 4;

const PRELOADED = ['property-seed.ts', 'time-limit.ts'].map((file) => new URL(file, import.meta.url).href);

/**
 * The maximum time of a test, in ms, if the test doesn't set a different one. A test that hangs fails, and its name is
 * printed.
 */
const TEST_TIMEOUT_MS = 60_000;

/**
 * By default, Node gives up after 250 ms on each of the two addresses of `localhost`, which is too soon on a busy
 * machine.
 */
export const CONNECT_TIMEOUT = '--network-family-autoselection-attempt-timeout=5000';

/** The Node options for a test file. */
export const NODE_TEST_OPTIONS: string[] = [
  '--conditions=source',
  CONNECT_TIMEOUT,
  // Node 24 sometimes spins in `Environment::CleanupHandles()` at the end of a process that used many connections.
  '--test-force-exit',
  `--test-timeout=${TEST_TIMEOUT_MS}`,
  ...PRELOADED.flatMap((url) => ['--import', url]),
];

/** Runs node:test files, each in a separate process. `progress` is called with the title of each finished test. */
export async function runNodeTests(files: readonly string[], progress: (line: string) => void): Promise<Outcome> {
  const countsByFile = new Map<string, Record<keyof Counts, number>>();
  const report: string[] = [];
  const failedFiles = new Set<string>();
  const titles: string[] = [];
  const stderr = new Map<string, string>();
  const stream = run({ files: [...files], concurrency: CONCURRENCY, execArgv: NODE_TEST_OPTIONS, cwd: ROOT });
  for await (const { type, data } of stream as AsyncIterable<TestEvent>) {
    if (type === 'test:stderr') stderr.set(data.file, (stderr.get(data.file) ?? '') + data.message);
    if (type === 'test:start') titles.splice(data.nesting, Infinity, data.name);
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details.type === 'suite') continue;
    progress(data.name);
    const file = relative(ROOT, data.file ?? data.name);
    const counts = countsByFile.get(file) ?? { passed: 0, failed: 0, skipped: 0 };
    countsByFile.set(file, counts);
    if (data.skip !== undefined || data.todo !== undefined) counts.skipped += 1;
    else if (type === 'test:pass') counts.passed += 1;
    else {
      counts.failed += 1;
      failedFiles.add(file);
      report.push(failureText(data, [...titles.slice(0, data.nesting), data.name]));
      // If a file couldn't be loaded, its title is its path, and the reason is only on standard error.
      report.push(stderr.get(data.name) ?? '');
    }
  }
  const others = [...countsByFile].filter(([file]) => !failedFiles.has(file)).map(([, counts]) => counts);
  return {
    ...sumOf([...countsByFile.values()]),
    failedFiles: [...failedFiles],
    inOtherFiles: sumOf(others),
    report: report.join('\n'),
  };
}

function sumOf(all: readonly Counts[]): Counts {
  const sum = (key: keyof Counts) => all.reduce((total, counts) => total + counts[key], 0);
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

type Failure = Extract<TestEvent, { type: 'test:fail' }>['data'];

function failureText({ file = '', line, details }: Failure, titles: readonly string[]): string {
  const { cause } = details.error;
  const error = inspect(cause ?? details.error, { colors: false });
  return `✖ ${titles.join(' › ')}\n  ${relative(ROOT, file)}:${line}\n  ${error.replaceAll('\n', '\n  ')}\n`;
}
