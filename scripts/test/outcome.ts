/** How many tests ended how. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The outcome of a test suite. */
export interface Outcome extends Counts {
  /** Test files to run again to see whether they fail again; from the top folder. */
  readonly failedFiles: readonly string[];
  /** Files with a test that failed, ran once more, and passed. */
  readonly retriedFiles?: readonly string[];
  /** The tests in files other than `failedFiles`. */
  readonly inOtherFiles: Counts;
  /** The text about failures: each with its titles, its place and its error; empty if there are none. */
  readonly report: string;
}
