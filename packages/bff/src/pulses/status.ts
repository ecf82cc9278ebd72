import type { ReadSource } from '@pulse-card/contract';
import type { LastFailure } from '../upstream/backoffs.ts';
import { LIST } from '../upstream/target.ts';
import type { Entry } from './entry.ts';

/** The state of a source, or of the list, as `/status` shows it. */
export interface SourceFacts {
  readonly sourceId: string;
  /** The name and provider that the list has for this source; null if it has none. */
  readonly name: string | null;
  readonly provider: string | null;
  /** The status that the list has for this source, such as `BROKEN`. */
  readonly status: ReadSource['status'] | null;
  readonly freshness: 'fresh' | 'stale' | 'expired' | 'never-answered';
  readonly hasPulse: boolean;
  /** Whether readers are told that this is stale. */
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

/** The state of all sources. */
export interface PulsesStatus {
  readonly ready: boolean;
  readonly list: SourceFacts;
  /** How many rows of the list couldn't be parsed and were omitted. */
  readonly unreadableRows: number;
  readonly sources: readonly SourceFacts[];
  readonly callsInFlight: number;
}

/** The data that a source's facts are derived from. */
export interface FactsOf {
  readonly entry: Entry | undefined;
  readonly row: ReadSource | undefined;
  readonly lastFailure: LastFailure | undefined;
  readonly views: number;
  readonly viewsPerMinute: number;
  /** How much longer the entry may be served, in ms. */
  readonly servableForMs: number;
  readonly isStale: boolean;
  readonly freshMs: number;
  readonly now: number;
}

/** The facts of a source, or of the list. */
export function sourceFacts(sourceId: string, of: FactsOf): SourceFacts {
  const { entry, row, lastFailure, views, viewsPerMinute, servableForMs, isStale, freshMs, now } = of;
  const pulse = sourceId !== LIST && entry?.value && 'jobRunId' in entry.value ? entry.value : null;
  const ageMs = entry ? Math.max(0, now - entry.requestedAt) : null;
  const freshness =
    ageMs === null ? 'never-answered' : ageMs < freshMs ? 'fresh' : servableForMs > 0 ? 'stale' : 'expired';
  return {
    sourceId,
    name: row?.name ?? pulse?.sourceName ?? null,
    provider: row?.provider ?? null,
    status: row?.status ?? null,
    freshness,
    hasPulse: pulse !== null,
    isStale,
    ageMs,
    requestedAt: entry ? new Date(entry.requestedAtMs).toISOString() : null,
    nextRefreshInMs: views > 0 ? Math.max(0, freshMs - (ageMs ?? Infinity)) : null,
    viewsPerMinute,
    lastFailure: withoutOk(lastFailure),
  };
}

function withoutOk(failure: LastFailure | undefined): Omit<LastFailure, 'ok'> | null {
  if (failure === undefined) return null;
  const { ok: _ok, ...facts } = failure;
  return facts;
}
