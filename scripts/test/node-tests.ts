import { relative } from 'node:path';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { ROOT } from '../run.ts';
import type { Outcome } from './outcome.ts';

/**
 * The number of test files that run in parallel: twice the cores of a small machine, because most tests wait most of
 * the time.
 */
const CONCURRENCY = 4;

/**
 * By default, Node gives up after 250 ms on each of `localhost`'s two IP addresses, which is too soon on a busy
 * machine.
 */
export const CONNECT_TIMEOUT = '--network-family-autoselection-attempt-timeout=5000';

/** The Node options for a test file. A test that hangs fails after three minutes, and its name is printed. */
const NODE_OPTIONS = [
  '--conditions=source',
  CONNECT_TIMEOUT,
  // Node 24 sometimes spins in `Environment::CleanupHandles()` at the end of a process that used many connections.
  '--test-force-exit',
  '--test-timeout=180000',
  '--import',
  new URL('preload.ts', import.meta.url).href,
];

/** Runs node:test files, each in a separate process. `progress` is called with the title of each finished test. */
export async function runNodeTests(files: readonly string[], progress: (line: string) => void): Promise<Outcome> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const report: string[] = [];
  const titles: string[] = [];
  const stderr = new Map<string, string>();
  const stream = run({ files: [...files], concurrency: CONCURRENCY, execArgv: NODE_OPTIONS, cwd: ROOT });
  for await (const { type, data } of stream as AsyncIterable<TestEvent>) {
    if (type === 'test:stderr') stderr.set(data.file, (stderr.get(data.file) ?? '') + data.message);
    if (type === 'test:start') titles.splice(data.nesting, Infinity, data.name);
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details.type === 'suite') continue;
    progress(data.name);
    if (data.skip !== undefined || data.todo !== undefined) counts.skipped += 1;
    else if (type === 'test:pass') counts.passed += 1;
    else {
      counts.failed += 1;
      report.push(failureText(data, [...titles.slice(0, data.nesting), data.name]));
      // If a file couldn't be loaded, its title is its path, and the reason is only on standard error.
      report.push(stderr.get(data.name) ?? '');
    }
  }
  return { ...counts, report: report.join('\n') };
}

type Failure = Extract<TestEvent, { type: 'test:fail' }>['data'];

function failureText({ file = '', line, details }: Failure, titles: readonly string[]): string {
  const { cause } = details.error;
  const error = inspect(cause ?? details.error, { colors: false });
  return `✖ ${titles.join(' › ')}\n  ${relative(ROOT, file)}:${line}\n  ${error.replaceAll('\n', '\n  ')}\n`;
}
