import type { Outcome } from './outcome.ts';

/** Runs test files. */
export type RunFiles = (files: readonly string[]) => Promise<Outcome>;

/** The outcome of a suite, and the files that ran twice. */
export interface RetriedOutcome extends Outcome {
  readonly retriedFiles: readonly string[];
}

/** If more files fail, the cause is the code and not a busy machine. */
const MAX_FAILED_FILES = 3;

/**
 * Runs `files`. If only a few fail, runs these once more. Files that pass then are named in the report, and count as passed.
 * Playwright does the same in CI, because a machine may be too busy for a test.
 */
export async function runWithRetry(files: readonly string[], run: RunFiles): Promise<RetriedOutcome> {
  const first = await run(files);
  const { failed, failedFiles: retriedFiles, inOtherFiles } = first;
  // A runner that can't report which files failed names all of them. The number of failed tests is then an upper limit.
  const failedFileCount = Math.min(failed, retriedFiles.length);
  if (failed === 0 || failedFileCount > MAX_FAILED_FILES) return { ...first, retriedFiles: [] };
  const again = await run(retriedFiles);
  if (again.passed + again.failed < failed)
    return { ...first, retriedFiles, report: `${first.report}\nRan once more: fewer tests ran than had failed` };
  return {
    passed: inOtherFiles.passed + again.passed,
    failed: inOtherFiles.failed + again.failed,
    skipped: inOtherFiles.skipped + again.skipped,
    failedFiles: again.failedFiles,
    inOtherFiles,
    retriedFiles,
    report: `${again.report}\nFailed at first, and ran once more:\n${first.report}`,
  };
}
