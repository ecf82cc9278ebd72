import { relative } from 'node:path';
import { run } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { ROOT } from '../run.ts';
import type { Outcome } from './outcome.ts';

/** Test files that run at once. Most of them wait most of the time: twice the cores of a small machine. */
const CONCURRENCY = 4;

const FIXED_SEED = new URL('fixed-seed.ts', import.meta.url).href;

/** `localhost` has two addresses, and Node gives up on each after 250 ms: too soon on a busy machine. */
export const CONNECT_TIMEOUT = '--network-family-autoselection-attempt-timeout=5000';

/** How tests of node:test are run. */
export interface NodeTestOptions {
  /** Whether properties are tried with new random cases, not with the same in every run. */
  readonly isLong: boolean;
}

/** Runs test files of node:test, each in a process of its own; `progress` is called with the title of each finished test. */
export async function runNodeTests(
  files: readonly string[],
  { isLong }: NodeTestOptions,
  progress: (line: string) => void,
): Promise<Outcome> {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const report: string[] = [];
  const failedFiles = new Set<string>();
  const titles: string[] = [];
  const stderr = new Map<string, string>();
  const execArgv = ['--conditions=source', CONNECT_TIMEOUT, ...(isLong ? [] : ['--import', FIXED_SEED])];
  const stream = run({ files: [...files], concurrency: CONCURRENCY, execArgv, cwd: ROOT });
  for await (const { type, data } of stream as AsyncIterable<TestEvent>) {
    if (type === 'test:stderr') stderr.set(data.file, (stderr.get(data.file) ?? '') + data.message);
    if (type === 'test:start') titles.splice(data.nesting, Infinity, data.name);
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details.type === 'suite') continue;
    progress(data.name);
    if (data.skip !== undefined || data.todo !== undefined) counts.skipped += 1;
    else if (type === 'test:pass') counts.passed += 1;
    else {
      counts.failed += 1;
      failedFiles.add(relative(ROOT, data.file ?? data.name));
      report.push(failureText(data, [...titles.slice(0, data.nesting), data.name]));
      // A file that could not be loaded has its path for a title, and says why on standard error alone.
      report.push(stderr.get(data.name) ?? '');
    }
  }
  return { ...counts, failedFiles: [...failedFiles], report: report.join('\n') };
}

type Failure = Extract<TestEvent, { type: 'test:fail' }>['data'];

function failureText({ file = '', line, details }: Failure, titles: readonly string[]): string {
  const { cause } = details.error;
  const error = inspect(cause ?? details.error, { colors: false });
  return `✖ ${titles.join(' › ')}\n  ${relative(ROOT, file)}:${line}\n  ${error.replaceAll('\n', '\n  ')}\n`;
}
