import { join } from 'node:path';
import { ROOT, run } from '../run.ts';
import { UsageError } from '../usage.ts';
import { WEB_TEST_RUNNER, WIDGET } from './browser-tests.ts';
import { NODE_TEST_OPTIONS } from './node-tests.ts';
import type { Suite } from './suites.ts';

/** Runs the files of one kind of suite once, and then after each change, until Ctrl+C. */
export async function watch(suites: readonly Suite[]): Promise<void> {
  const files = suites.flatMap((suite) => suite.files).map((file) => join(ROOT, file));
  const kinds = new Set(suites.map(({ kind }) => kind));
  const [kind] = kinds;
  if (kinds.size > 1 || kind === 'end-to-end')
    throw new UsageError('--watch takes files of one kind: tests in Node, or the elements’ tests in a browser');
  if (kind === 'node') await run(process.execPath, [...NODE_TEST_OPTIONS, '--watch', '--test', ...files]);
  else
    await run(process.execPath, ['--conditions=source', WEB_TEST_RUNNER, '--watch', '--files', ...files], {
      cwd: WIDGET,
    });
}
