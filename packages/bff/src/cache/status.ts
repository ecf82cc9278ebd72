import type { BudgetStatus } from '../budget/call-ledger.ts';
import type { Verdict } from '../freshness/verdict.ts';
import type { HostStatus } from './host-choice.ts';
import type { KeyStatus } from './key-health.ts';

/** How one source, or the list, stands. */
export interface SourceStatusFacts {
  readonly sourceId: string;
  readonly verdict: Verdict | 'never-answered';
  readonly hasPulse: boolean;
  readonly ageMs: number | null;
  /** When the upstream was asked, as ISO 8601. */
  readonly requestedAt: string | null;
  /** How long until the next refresh is due, as things stand; null where nobody looks. */
  readonly nextRefreshInMs: number | null;
  /** Why then. */
  readonly why: string;
  readonly viewsPerMinute: number;
  /** Open live streams. */
  readonly readers: number;
  readonly lastFailure: { readonly code: string; readonly detail: string; readonly retryInMs: number } | null;
}

/** What readiness and alerts go by; known without a look at any source. */
export interface CacheHealth {
  /** Ready to take traffic: there was an answer of the service, or one is kept that may be shown. */
  readonly ready: boolean;
  /** What is wrong, as public error codes, such as `upstream_auth`. */
  readonly degraded: readonly string[];
  readonly key: KeyStatus;
}

/** A host, with its moments as ISO 8601. */
export interface ShownHost extends Omit<HostStatus, 'lastAnswerAt'> {
  readonly lastAnswerAt: string | null;
}

/** How all of it stands, for the private port. */
export interface CacheStatus extends CacheHealth {
  readonly list: SourceStatusFacts;
  /** Rows of the list that cannot be read, and are left out. */
  readonly unreadableRows: number;
  readonly sources: readonly SourceStatusFacts[];
  readonly hosts: readonly ShownHost[];
  readonly budget: BudgetStatus;
  readonly callsInFlight: number;
}
