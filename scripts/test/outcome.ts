/** The number of tests by result. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The outcome of a test suite. */
export interface Outcome extends Counts {
  /** The test files with a failed test, which can run again. Paths are relative to the repository root. */
  readonly failedFiles: readonly string[];
  /** The files with a test that failed at first but passed on the second run. */
  readonly retriedFiles?: readonly string[];
  /** The number of tests in all files that aren't in `failedFiles`. */
  readonly inOtherFiles: Counts;
  /** The titles, the location, and the error of each failure, as text. Empty if there are none. */
  readonly report: string;
}
