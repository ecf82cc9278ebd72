/** The placeholder for the service's address in recorded answers. */
export const SERVICE_ORIGIN = 'http://service.invalid';

/** One answer from a BFF of that release. */
export interface RecordedAnswer {
  /** The path and the query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The answers from a released BFF, as `record-release.ts` recorded them. */
export interface RecordedRelease {
  readonly version: string;
  readonly answers: readonly RecordedAnswer[];
  /** The answer to a batch request while the service was down. */
  readonly stale: RecordedAnswer;
}
