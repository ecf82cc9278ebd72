/** The number of tests by result. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The outcome of a test suite. */
export interface Outcome extends Counts {
  /** Test files to run again, to see whether they fail again. Paths are relative to the top folder. */
  readonly failedFiles: readonly string[];
  /** Files with a test that failed, ran once more, and passed. */
  readonly retriedFiles?: readonly string[];
  /** The tests in files other than `failedFiles`. */
  readonly inOtherFiles: Counts;
  /** The text about failures. Each has its titles, its location, and its error. Empty if there are none. */
  readonly report: string;
}
