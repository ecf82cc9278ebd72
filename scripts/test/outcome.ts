/** The outcome of a test suite. */
export interface Outcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** The titles, the location, and the error of each failure, as text. Empty if there are none. */
  readonly report: string;
}
