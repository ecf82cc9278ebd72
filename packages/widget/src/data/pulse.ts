/** A pulse from the BFF. The optional fields are set if the BFF's operator exposes them. */
export interface Pulse {
  readonly jobRunId: string;
  readonly sourceId: string;
  readonly sourceName: string | null;
  readonly status: 'SUCCESS';
  /** ISO 8601, UTC. */
  readonly completedAt: string | null;
  readonly imageUrl: string | null;
  readonly aiSummaryShort: string | null;
  readonly aiSummaryLong: string | null;
  readonly deliveryLink?: string | null;
  readonly organizationId?: string | null;
  readonly organizationName?: string | null;
  readonly organizationSlug?: string | null;
  /** Set if the BFF's operator withholds this run's text. The finding and the analysis of a withheld run are null. */
  readonly withheld?: true | undefined;
}

/** How often a source usually has a new run, and whether the next one is overdue. */
export interface Rhythm {
  /** Null until the usual interval is known. */
  readonly usual: 'hourly' | 'daily' | 'weekdays' | 'weekly' | 'monthly' | null;
  /** When the next run became overdue (ISO 8601, UTC); null if it isn't overdue. */
  readonly overdueSince: string | null;
}

/** The source information that a response contains in addition to the pulse. */
export interface SourceInfo {
  readonly status: string | null;
  readonly name: string | null;
  /** The code of the provider that the data comes from, such as `GOOGLE`. */
  readonly provider?: string | null | undefined;
  /** The source's page in the dashboard, if the BFF's operator exposes it. */
  readonly link?: string | null | undefined;
  readonly rhythm?: Rhythm | null | undefined;
}
