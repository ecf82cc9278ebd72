import type { ErrorCode, ReadPulse, ReadSource } from '@pulse-card/contract';
import type { SourceRows } from '../upstream/response.ts';
import type { Answer } from '../upstream/upstream.ts';

/**
 * A source in the cache. Immutable: a change makes a new object, so that representations can be cached by identity.
 */
export interface SourceSnapshot {
  readonly sourceId: string;
  /** The latest pulse; null where the upstream answered that there is none. */
  readonly pulse: ReadPulse | null;
  /** The source's row of the list; null where it is not on the list. */
  readonly source: ReadSource | null;
  /** When the pulse was requested: milliseconds since the Unix epoch. */
  readonly requestedAtMs: number;
}

/** The list of sources in the cache. Immutable. */
export interface SourceList {
  readonly sources: readonly ReadSource[];
  readonly requestedAtMs: number;
}

/** What the cache did for an answer, as `Cache-Status` parameters (RFC 9211). */
export interface CacheFacts {
  readonly hit: boolean;
  /** Why a call was made for this answer. */
  readonly fwd?: 'miss' | 'stale';
  /** The status of the upstream's answer. */
  readonly fwdStatus?: number;
  /** The answer shared a call that another request had started. */
  readonly collapsed?: boolean;
  readonly stored?: boolean;
  /** Freshness left, in seconds; negative once stale. */
  readonly ttlSeconds: number;
  /** A short token, such as `upstream-unavailable`, `budget`, `auth`. */
  readonly detail?: string;
}

/** A value from the cache. */
export interface CacheHit<Thing> {
  readonly ok: true;
  readonly value: Thing;
  readonly stale: boolean;
  readonly ageMs: number;
  readonly facts: CacheFacts;
}

/** The result of a lookup: a value, or a failure with its public code. */
export type LookupResult<Thing> =
  | CacheHit<Thing>
  | { readonly ok: false; readonly code: ErrorCode; readonly retryAfterSeconds?: number };

/** Looks up the pulses of sources. Lookups of one `client` count as one view of a source in each freshness period. */
export interface PulseLookups {
  /** The result that needs no wait (the hit path); undefined where `getOrFetch` should be awaited. */
  getIfCached(sourceId: string, client?: string): LookupResult<SourceSnapshot> | undefined;
  /** The cached answer, or that of a call, within a timeout; never rejects. */
  getOrFetch(sourceId: string, client?: string): Promise<LookupResult<SourceSnapshot>>;
}

/** The cache as the HTTP side sees it. Its own lookups count as views of readers. */
export interface PulseCache extends PulseLookups {
  /** The same lookups, which do not count as views: for the operator's own pages, and for a reader who was counted. */
  readonly uncounted: PulseLookups;
  /** The list from the cache or from a call, within a timeout; never rejects. */
  getOrFetchSources(): Promise<LookupResult<SourceList>>;
  /** Makes sources known that a reader has a right to: a valid token names them, or the application does. */
  admit(sourceIds: Iterable<string>): void;
  /** Returns whether a source is known for one reader's rights alone: it is neither listed nor named. */
  isAdmittedOnly(sourceId: string): boolean;
  /** Returns whether a source is known. */
  isKnown(sourceId: string): boolean;
  /** The cached answer, fresh or stale. Does not count as a view. */
  peek(sourceId: string): CacheHit<SourceSnapshot> | undefined;
}

/** The call of an instance that brought a shared answer; `requestedAt` is on this instance's monotonic clock. */
interface SharedRequestInfo extends Omit<Answer<unknown>, 'value' | 'owner'> {
  /** Names the key that was sent without revealing it. */
  readonly keyName: string;
}

/** A pulse that an instance fetched. */
export interface SharedPulse extends SharedRequestInfo {
  readonly pulse: ReadPulse | null;
}

/** The list that an instance fetched, and the ids it has discovered. */
export interface SharedList extends SharedRequestInfo, SourceRows {
  readonly discovered: readonly string[];
}

/** A failed call of an instance, and how long no instance retries its subject. */
export interface SharedFailure {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly status: number | undefined;
  readonly retryInMs: number;
}

/** What the shared cache holds for a subject. */
export interface SharedEntry {
  readonly pulse?: SharedPulse | undefined;
  readonly list?: SharedList | undefined;
  readonly failure?: SharedFailure | undefined;
}

/** The cache that all instances with one key share. Never rejects and never waits long: empty while it cannot be reached. */
export interface SharedCache {
  get(subject: string): Promise<SharedEntry>;
  storePulse(sourceId: string, answer: SharedPulse): void;
  storeList(list: SharedList): void;
  storeFailure(subject: string, failure: SharedFailure): void;
  /** Calls `listener` with each subject that an instance has stored an answer for; resolves once it was called with those of before. */
  listen(listener: (subject: string) => void | Promise<void>): Promise<void>;
}

/** The state of this instance in the cluster. */
export interface ClusterStatus {
  /** `joined`: spends from the shared account; `lost`: spends from its own share. */
  readonly state: 'joined' | 'lost';
  /** Why Redis is lost, and what to do. */
  readonly fault: string | undefined;
  readonly advice: string | undefined;
  /** Calls a window that this instance may make while Redis is lost. */
  readonly share: number;
  /** How long Redis has been lost; 0 while it is not. */
  readonly lostForMs: number;
  /** How often it was lost since the start. */
  readonly losses: number;
}
