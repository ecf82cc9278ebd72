/** The outcome of a test suite. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The files with a failed test. If a runner doesn't report them, all files. */
  readonly failedFiles: readonly string[];
  /** The files with a test that failed at first but passed on the second run. */
  readonly retriedFiles?: readonly string[];
  /** The titles, the location, and the error of each failure, as text. Empty if there are none. */
  readonly report: string;
}

/** If more tests fail, the cause is the code and not a busy machine. */
const MAX_RETRIED = 3;

/**
 * Runs test files. If only a few tests fail, runs their files once more, because the machine may have been too busy.
 * Tests that then pass count as passed, and the report lists their files. Playwright does the same in CI.
 */
export async function runWithRetry(
  files: readonly string[],
  run: (files: readonly string[]) => Promise<Outcome>,
): Promise<Outcome> {
  const first = await run(files);
  const { passed, failed, failedFiles, report } = first;
  if (failed === 0 || failed > MAX_RETRIED) return first;
  const again = await run(failedFiles);
  // A run of fewer tests than had failed proves nothing.
  if (again.failed > 0 || again.passed < failed) return { ...first, report: `${report}\nAgain:\n${again.report}` };
  const text = `Failed at first, and passed when it ran once more:\n${report}`;
  return { ...first, passed: passed + failed, failed: 0, retriedFiles: failedFiles, report: text };
}
