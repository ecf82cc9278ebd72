/** A pulse as the card shows it; the operator of the BFF may add the optional fields. */
export interface Pulse {
  readonly jobRunId: string;
  readonly sourceId: string;
  readonly sourceName: string | null;
  readonly status: 'SUCCESS';
  readonly completedAt: string | null;
  readonly imageUrl: string | null;
  readonly aiSummaryShort: string | null;
  readonly aiSummaryLong: string | null;
  readonly deliveryLink?: string | null;
  readonly organizationId?: string | null;
  readonly organizationName?: string | null;
  readonly organizationSlug?: string | null;
}

/** What is known of the source beside its pulse. */
export interface SourceFacts {
  readonly status: string | null;
  readonly name: string | null;
  /** When the service was asked, where that was more than a day ago. */
  readonly oldSince?: string | false;
}

/** Why there is no pulse to show. */
export interface Failure {
  readonly ok: false;
  /** A code of the BFF, or `offline`, `network`, `timeout`, `invalid_answer`. */
  readonly code: string;
  /** The HTTP status, 0 where there was no answer. */
  readonly status: number;
  readonly retriable: boolean;
  /** What `Retry-After` asked for, in milliseconds. */
  readonly retryAfterMs: number;
  /** 0 to 1, the same for all cards that failed together, so that they ask again together, but not with other pages. */
  readonly jitter: number;
  readonly source: SourceFacts | null;
}

/** A pulse, or what else was asked for, and what is known beside it. */
export interface Success<Shown = Pulse> {
  readonly ok: true;
  readonly pulse: Shown;
  readonly stale: boolean;
  readonly source: SourceFacts | null;
}

/** What became of asking; it never throws. */
export type Outcome<Shown = Pulse> = Success<Shown> | Failure;
