import type { Outcome } from './outcome.ts';

/** Runs test files. */
export type RunFiles = (files: readonly string[]) => Promise<Outcome>;

/** The outcome of a suite, and the files that ran twice. */
export interface RetriedOutcome extends Outcome {
  readonly retriedFiles: readonly string[];
}

/**
 * The maximum number of failed files that run again. If more files fail, the cause is the code and not a busy machine.
 */
const MAX_FAILED_FILES = 3;

/**
 * Runs `files`. If only a few files fail, runs these once more, because the machine may have been too busy. Files that
 * then pass count as passed, and the report names them. Playwright does the same in CI.
 */
export async function runWithRetry(files: readonly string[], run: RunFiles): Promise<RetriedOutcome> {
  const first = await run(files);
  const { failed, failedFiles: retriedFiles, inOtherFiles } = first;
  // If a runner doesn't report which files failed, `failedFiles` contains all files. The number of failed tests is then an
  // upper limit for the number of failed files.
  const failedFileCount = Math.min(failed, retriedFiles.length);
  if (failed === 0 || failedFileCount > MAX_FAILED_FILES) return { ...first, retriedFiles: [] };
  const again = await run(retriedFiles);
  if (again.passed + again.failed < failed)
    return {
      ...first,
      retriedFiles,
      report: `${first.report}\nThe failed files ran once more, but with fewer tests than had failed`,
    };
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
