import type { ErrorCode, ReadPulse, ReadSource } from '@pulse-card/contract';

/**
 * One source as it is known: immutable, a new object whenever anything in it changes, so that what is made of it
 * (bodies, tags) can hang on its identity.
 */
export interface SourceSnapshot {
  readonly sourceId: string;
  /** The latest pulse; null where the upstream says there is none. */
  readonly pulse: ReadPulse | null;
  /** The source's row in the list; null where the list does not show it. */
  readonly source: ReadSource | null;
  /** When the upstream was asked for the pulse: milliseconds since the Unix epoch. */
  readonly requestedAtMs: number;
}

/** The list of sources as it is known. Immutable. */
export interface SourceList {
  readonly sources: readonly ReadSource[];
  readonly requestedAtMs: number;
}

/** What the cache did for an answer, in the words of RFC 9211. */
export interface CacheFacts {
  readonly hit: boolean;
  /** Why the upstream was asked, if it was, for this very answer. */
  readonly fwd?: 'miss' | 'stale';
  /** The upstream's status, where an answer came. */
  readonly fwdStatus?: number;
  /** This answer waited for a call that another reader had begun. */
  readonly collapsed?: boolean;
  readonly stored?: boolean;
  /** Freshness left, in seconds; negative once stale. */
  readonly ttlSeconds: number;
  /** A short token, such as `upstream-unavailable`, `budget`, `auth`. */
  readonly detail?: string;
}

/** Something known, said to be stale where it is. */
export interface CacheHit<Thing> {
  readonly ok: true;
  readonly value: Thing;
  readonly stale: boolean;
  readonly ageMs: number;
  readonly facts: CacheFacts;
}

/** What a reader gets: something known, or a failure with its public code. */
export type LookupResult<Thing> =
  | CacheHit<Thing>
  | { readonly ok: false; readonly code: ErrorCode; readonly retryAfterSeconds?: number };

/** What the HTTP side may ask of the cache. */
export interface PulseCache {
  /**
   * What can be answered now with no wait and no promise (the hit path), which counts as a view; undefined when `getOrFetch`
   * should be awaited.
   */
  getIfCached(sourceId: string): LookupResult<SourceSnapshot> | undefined;
  /** Answers from the cache, or waits for a call, bounded; never rejects. Counts as a view. */
  getOrFetch(sourceId: string): Promise<LookupResult<SourceSnapshot>>;
  /** The list: from the cache, or waits for a call, bounded; never rejects. */
  getOrFetchSources(): Promise<LookupResult<SourceList>>;
  /** Returns whether a source is known, so that it is refreshed for those who watch it. */
  isKnown(sourceId: string): boolean;
  /** What is kept and may still be shown, stale or not: no wait, no view. */
  peek(sourceId: string): CacheHit<SourceSnapshot> | undefined;
  /** Calls `heard` with each new pulse. The returned function ends it. */
  onNewPulse(listener: (snapshot: SourceSnapshot) => void): () => void;
  /** Calls `heard` when all that was known has been dropped: the key belongs to another account. The returned function ends it. */
  onPurge(listener: () => void): () => void;
  /** Says that `readers` live streams watch a source now. */
  setWatchers(sourceId: string, readers: number): void;
}
