/** What a test suite did. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Test files to run again to see whether they fail again; from the top folder. */
  readonly failedFiles: readonly string[];
  /** What to print for failures: each with its titles, its place and its error; empty where there are none. */
  readonly report: string;
}
