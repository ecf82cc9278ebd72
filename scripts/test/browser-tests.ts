import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { capture, ROOT } from '../run.ts';
import { CONNECT_TIMEOUT } from './node-tests.ts';
import type { Outcome } from './outcome.ts';

const WIDGET = join(ROOT, 'packages/widget');
const WEB_TEST_RUNNER = join(WIDGET, 'node_modules/@web/test-runner/dist/bin.js');
const PLAYWRIGHT = join(ROOT, 'node_modules/@playwright/test/cli.js');

/** Matches the line with the totals, which the runner prints repeatedly. */
const ELEMENT_TOTALS = /(\d+) passed, (\d+) failed(?:, (\d+) skipped)?/;

/** Runs the elements' test files in a browser. */
export async function runElementTests(
  files: readonly string[],
  browser: string,
  progress: (line: string) => void,
): Promise<Outcome> {
  const paths = files.map((file) => join(ROOT, file));
  const config = browser === 'chromium' ? [] : ['--config', join(ROOT, 'e2e/browsers/web-test-runner.config.js')];
  const args = ['--conditions=source', WEB_TEST_RUNNER, ...config, '--concurrency', '2', '--files', ...paths];
  const onLine = (line: string) => progress(stripVTControlCharacters(line));
  const env = { PULSE_TEST_BROWSER: browser };
  const { ok, output } = await capture(process.execPath, args, { cwd: WIDGET, env, onLine });
  const lines = stripVTControlCharacters(output).split('\n');
  const totals = ELEMENT_TOTALS.exec(lines.findLast((line) => ELEMENT_TOTALS.test(line)) ?? '');
  const [passed = 0, failed = 0, skipped = 0] = totals?.slice(1).map((count) => Number(count || 0)) ?? [];
  if (ok) return { passed, failed, skipped, report: '' };
  // Leaves out the titles of passed tests and the progress bars, which would make a failure hard to see.
  const report = lines.filter((line) => !/^\s*(✓|$)/.test(line) && !ELEMENT_TOTALS.test(line)).join('\n');
  return { passed, failed: Math.max(1, failed), skipped, report };
}

/** Runs the files of end-to-end tests. Tests with the tag `@long` run only if `isLong` is set. */
export async function runEndToEndTests(
  files: readonly string[],
  isLong: boolean,
  progress: (line: string) => void,
): Promise<Outcome> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'pulse-playwright-'));
  const json = join(folder.path, 'report.json');
  const selected = isLong ? [] : ['--grep-invert', '@long'];
  const node = ['--conditions=source', CONNECT_TIMEOUT];
  const args = [...node, PLAYWRIGHT, 'test', ...files, ...selected, '--reporter=line,json,html'];
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: json, PLAYWRIGHT_HTML_OPEN: 'never' };
  const { ok, output } = await capture(process.execPath, args, { env, onLine: progress });
  const { stats } = JSON.parse(readFileSync(json, 'utf8')) as PlaywrightReport;
  const failed = Math.max(ok ? 0 : 1, stats.unexpected);
  return {
    passed: stats.expected + stats.flaky,
    failed,
    skipped: stats.skipped,
    report: ok ? '' : stripVTControlCharacters(output),
  };
}

interface PlaywrightReport {
  readonly stats: Readonly<Record<'expected' | 'unexpected' | 'flaky' | 'skipped', number>>;
}
