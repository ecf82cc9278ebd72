/** What a test suite did. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What to print for failures: each with its titles, its place and its error; empty where there are none. */
  readonly report: string;
}
