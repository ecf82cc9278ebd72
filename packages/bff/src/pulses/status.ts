import type { ReadSource } from '@pulse-card/contract';
import type { LastFailure } from '../upstream/backoffs.ts';

/** The state of a source, or of the list, as `/status` shows it. */
export interface SourceFacts {
  readonly sourceId: string;
  /** The name and provider that the list contains for this source; null if it contains none. */
  readonly name: string | null;
  readonly provider: string | null;
  /** The status that the list contains for this source, such as `BROKEN`. */
  readonly status: ReadSource['status'] | null;
  readonly freshness: 'fresh' | 'stale' | 'expired' | 'never-answered';
  readonly hasPulse: boolean;
  /** Whether the response is marked as stale. */
  readonly isStale: boolean;
  readonly ageMs: number | null;
  /** ISO 8601. */
  readonly requestedAt: string | null;
  /** How long until the next refresh; null if no one has viewed the source since the last one. */
  readonly nextRefreshInMs: number | null;
  readonly viewsPerMinute: number;
  /** Null once a call has succeeded. */
  readonly lastFailure: Omit<LastFailure, 'ok'> | null;
}
