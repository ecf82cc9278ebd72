import type { SourceStatus } from '@pulse-card/contract';

/**
 * The document that `pulse-service import` reads. The caller chooses every ID. Charts are files next to the document.
 */
export interface ImportDocument {
  readonly accounts: readonly { id: string; email: string }[];
  readonly organizations: readonly { id: string; name: string | null; slug: string | null }[];
  readonly sources: readonly ImportSource[];
  readonly connections: readonly { id: string; sourceId: string }[];
  readonly runs: readonly ImportRun[];
}

/** A source in the document. */
export interface ImportSource {
  readonly id: string;
  readonly accountId: string;
  readonly organizationId: string;
  readonly name: string | null;
  readonly provider: string;
  readonly status: SourceStatus;
  readonly updatedAt: string;
  readonly archived: boolean;
}

/** A run in the document. `image` is a path relative to the document. */
export interface ImportRun {
  readonly id: string;
  readonly connectionId: string;
  readonly status: 'SUCCESS' | 'FAILED';
  readonly sourceName: string | null;
  readonly completedAt: string | null;
  readonly image: string | null;
  readonly aiSummaryShort: string | null;
  readonly aiSummaryLong: string | null;
  readonly deliveryLink: string | null;
}

/** A source with its connections and runs. */
export interface SourceRecord {
  readonly source: ImportSource;
  readonly connections: readonly { id: string; sourceId: string }[];
  readonly runs: readonly ImportRun[];
}
