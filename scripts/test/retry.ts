import type { Outcome } from './outcome.ts';

/** Runs test files. */
export type RunFiles = (files: readonly string[]) => Promise<Outcome>;

/**
 * Runs `files`, and those that failed once more: what passes then is named in the report, and counts as passed. As Playwright
 * does it under CI, where a machine may be too busy for a test.
 */
export async function runWithRetry(files: readonly string[], run: RunFiles): Promise<Outcome> {
  const first = await run(files);
  if (first.failed === 0) return first;
  const again = await run(first.failedFiles);
  const failed = again.failed;
  const passed = first.passed + first.failed - failed;
  const report = `${again.report}\nFailed at first, and ran once more:\n${first.report}`;
  return { ...first, passed, failed, failedFiles: again.failedFiles, report };
}
