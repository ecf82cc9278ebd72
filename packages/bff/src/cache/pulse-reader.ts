import { isSourceId } from '@pulse-card/contract';
import type { Answer } from '../upstream/answer.ts';
import type { FailureDetail } from '../upstream/failure.ts';
import { LIST_ID } from '../upstream/subject.ts';
import type { CacheParts } from './cache-parts.ts';
import type { SourceList, SourceSnapshot } from './entries.ts';
import type { Flight, RefreshResult } from './flight.ts';
import {
  type CacheFacts,
  type CacheHit,
  cacheHit,
  factsOf,
  type Freshness,
  freshnessOf,
  type FreshnessPolicy,
  type LookupResult,
  NOT_YET_FETCHED,
} from './freshness.ts';
import type { Refresher } from './refresher.ts';

/** How long a reader who could get a stale answer waits for a fresh one. */
const STALE_WAIT_MS = 500;

/**
 * Returns why a reader may not see a source, or undefined. A reader who may see all sources gets `source_unknown` for
 * an id that is known only through another reader's rights.
 */
export type SourceRefusal = (sourceId: string) => 'token_forbidden' | 'source_unknown' | undefined;

/** Who reads. */
export interface Requester {
  /**
   * Identifies a viewer. In each freshness period, the lookups of one viewer count as one view of a source. Null if the
   * lookup isn't a view.
   */
  readonly viewer?: string | null | undefined;
  readonly refusalOf: SourceRefusal;
}

type PulseLookup = LookupResult<SourceSnapshot>;

const UNKNOWN = { ok: false, code: 'source_unknown' } as const;

/** Returns why a requester may not see an id, regardless of the cache's content. */
export function refusedLookup(id: string, { refusalOf }: Requester): PulseLookup | undefined {
  const code = isSourceId(id) ? refusalOf(id) : 'invalid_source_id';
  return code && { ok: false, code };
}

export interface PulseReaderOptions extends CacheParts {
  readonly refresher: Refresher;
  readonly freshnessPolicy: FreshnessPolicy;
}

/** The part of the reader that routes use. */
export type RequestCache = Pick<
  PulseReader,
  'read' | 'readList' | 'readCached' | 'admit' | 'isAdmittedOnly' | 'isKnown'
>;

/** Reads cached answers. Requests answers that are missing or worth waiting for. */
export class PulseReader {
  readonly #options: PulseReaderOptions;

  constructor(options: PulseReaderOptions) {
    this.#options = options;
  }

  /**
   * Looks up a source. Returns the result immediately if it is cached and no fresher answer is worth waiting for, or if
   * no answer is possible. If a call is needed, returns a promise of the call's outcome. The promise has a timeout.
   * Never rejects.
   */
  read(sourceId: string, requester: Requester): PulseLookup | Promise<PulseLookup> {
    const refused = refusedLookup(sourceId, requester);
    if (refused) return refused;
    const { entries } = this.#options;
    if (entries.ids.has(sourceId)) return this.#readKnown(sourceId, requester);
    return this.#isListAwaited() ? this.#readOnceListed(sourceId, requester) : UNKNOWN;
  }

  /**
   * Looks up the list. Returns the list immediately if it is cached and no fresher list is worth waiting for. Otherwise
   * returns a promise. Never rejects.
   */
  readList({ viewer }: Pick<Requester, 'viewer'>): LookupResult<SourceList> | Promise<LookupResult<SourceList>> {
    this.#recordView(LIST_ID, viewer);
    return this.#lookUp(LIST_ID, this.#options.entries.list);
  }

  /** Returns the cached answer for a source, fresh or stale. Makes no call, and doesn't count as a view. */
  readCached(sourceId: string, requester: Requester): PulseLookup {
    const known = refusedLookup(sourceId, requester) ?? this.peek(sourceId);
    return known ?? (this.isKnown(sourceId) || this.#isListAwaited() ? NOT_YET_FETCHED : UNKNOWN);
  }

  /** Returns the cached answer for a known source, for code that may see every source. Doesn't count as a view. */
  peek(sourceId: string): CacheHit<SourceSnapshot> | undefined {
    return this.isKnown(sourceId) ? this.#usable(sourceId, this.#options.entries.get(sourceId)) : undefined;
  }

  /** Makes sources known, because a valid token or the application allows a reader to see them. */
  admit(sourceIds: Iterable<string>): void {
    this.#options.entries.ids.admit(sourceIds);
  }

  /**
   * Returns whether a source is known only through one reader's rights. Such a source is neither on the list nor
   * configured by the operator.
   */
  isAdmittedOnly(sourceId: string): boolean {
    return this.#options.entries.ids.isAdmittedOnly(sourceId);
  }

  isKnown(sourceId: string): boolean {
    return this.#options.entries.ids.has(sourceId);
  }

  freshnessOf(subject: string, { requestedAt }: Pick<Answer<unknown>, 'requestedAt'>): Freshness {
    const { upstream, freshnessPolicy, clock } = this.#options;
    const now = clock.now();
    const refusedForMs = () => upstream.apiKey.refusedForMs(subject, now);
    return freshnessOf(requestedAt, freshnessPolicy, { now, refusedForMs });
  }

  #readKnown(sourceId: string, { viewer }: Requester, endsAt?: number): PulseLookup | Promise<PulseLookup> {
    this.#recordView(sourceId, viewer);
    return this.#lookUp(sourceId, this.#options.entries.get(sourceId), endsAt);
  }

  /** Waits for the first list, which may contain the unknown id. The list and the pulse share one deadline. */
  async #readOnceListed(sourceId: string, requester: Requester): Promise<PulseLookup> {
    const { upstream, refresher } = this.#options;
    const endsAt = this.#deadline();
    await this.#resultBy(endsAt, refresher.join(LIST_ID, { isAwaited: true }).flight);
    if (this.isKnown(sourceId)) return this.#readKnown(sourceId, requester, endsAt);
    return this.#isListAwaited() ? (upstream.lastFailure(LIST_ID) ?? NOT_YET_FETCHED) : UNKNOWN;
  }

  /** Whether the first list is still awaited. The first list may contain an id that is still unknown. */
  #isListAwaited(): boolean {
    const { ids, list } = this.#options.entries;
    return ids.followsList && !list;
  }

  #recordView(subject: string, viewer: string | null | undefined): void {
    const { planner, clock } = this.#options;
    if (viewer !== null) planner.recordView(subject, clock.now(), viewer);
  }

  /**
   * Returns the entry if it may be used, or the result of a refresh. If a stale entry exists, the reader waits for 500
   * ms at most. If the refresh isn't worth waiting for, the stale entry is returned, and this method makes no call.
   * `RefreshLoop` then refreshes the source soon, because the view was already recorded.
   */
  #lookUp<Value>(
    subject: string,
    entry: Answer<Value> | undefined,
    endsAt?: number,
  ): LookupResult<Value> | Promise<LookupResult<Value>> {
    const freshness = entry ? this.freshnessOf(subject, entry) : 'expired';
    if (!entry || freshness === 'expired') return this.#fetchMissing(subject, endsAt);
    if (freshness === 'fresh') return this.#hit(entry);
    return this.#isWorthWaiting(subject) ? this.#fetchFresher(subject) : this.#staleHit(subject, entry);
  }

  /** Returns the entry, fresh or stale; undefined if there is no entry or it has expired. */
  #usable<Value>(subject: string, entry: Answer<Value> | undefined): CacheHit<Value> | undefined {
    const freshness = entry ? this.freshnessOf(subject, entry) : 'expired';
    if (!entry || freshness === 'expired') return undefined;
    return freshness === 'fresh' ? this.#hit(entry) : this.#staleHit(subject, entry);
  }

  #staleHit<Value>(subject: string, entry: Answer<Value>, facts: Partial<CacheFacts> = {}): CacheHit<Value> {
    const detail = this.#blockedReason(subject);
    return this.#hit(entry, detail === undefined ? facts : { detail, ...facts });
  }

  #hit<Value>({ value, requestedAt }: Answer<Value>, facts: Partial<CacheFacts> = {}): CacheHit<Value> {
    const { freshnessPolicy, clock } = this.#options;
    return cacheHit(value, { requestedAt, freshForMs: freshnessPolicy.freshForMs, now: clock.now() }, facts);
  }

  async #fetchMissing<Value>(subject: string, endsAt = this.#deadline()): Promise<LookupResult<Value>> {
    const { flight, isNew } = this.#options.refresher.join(subject, { isAwaited: true });
    const result = await this.#resultBy(endsAt, flight);
    if (result?.ok) return this.#fetched(result, { fwd: 'miss', collapsed: !isNew });
    return result ?? this.#options.upstream.lastFailure(subject) ?? NOT_YET_FETCHED;
  }

  async #fetchFresher<Value>(subject: string): Promise<LookupResult<Value>> {
    const { flight, isNew } = this.#options.refresher.join(subject, { isAwaited: false });
    const result = await this.#resultBy(flight.startedAt + STALE_WAIT_MS, flight);
    if (result?.ok) return this.#fetched(result, { fwd: 'stale', collapsed: !isNew });
    // The entry may have been replaced or dropped in the meantime.
    const now = this.#options.entries.of(subject) as Answer<Value> | undefined;
    if (!now || this.freshnessOf(subject, now) === 'expired')
      return this.#options.upstream.lastFailure(subject) ?? NOT_YET_FETCHED;
    return this.#staleHit(subject, now, result ? factsOf(result) : {});
  }

  /**
   * Returns the result of a refresh. Refreshing a source returns a source, and refreshing the list returns the list.
   */
  #fetched<Value>(
    { entry, status }: Extract<RefreshResult, { ok: true }>,
    facts: Pick<CacheFacts, 'fwd' | 'collapsed'>,
  ): CacheHit<Value> {
    return this.#hit(entry as Answer<Value>, { hit: false, fwdStatus: status, stored: true, ...facts });
  }

  /** The time at which a reader without an answer stops waiting, on the monotonic clock. */
  #deadline(): number {
    const { upstream, clock } = this.#options;
    return clock.now() + upstream.timeoutMs;
  }

  /** Returns the result of a flight; undefined if there is no result by `endsAt`. */
  #resultBy(endsAt: number, { result }: Flight): Promise<RefreshResult | undefined> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const cancel = clock.schedule(Math.max(0, endsAt - clock.now()), () => resolve(undefined));
      void result.then(resolve).finally(cancel);
    });
  }

  /** Returns whether a reader who could get a stale answer should wait for a fresh one. */
  #isWorthWaiting(subject: string): boolean {
    const { upstream, planner, refresher, clock } = this.#options;
    const now = clock.now();
    if (!upstream.hosts.isHealthy(now)) return false;
    const flight = refresher.flightOf(subject);
    if (flight) return now - flight.startedAt < STALE_WAIT_MS;
    return !upstream.whyNoCall(subject) && planner.isWorthWaitingFor(subject, now);
  }

  /** Returns why no newer answer is available. A failure counts until a request succeeds, even after the backoff. */
  #blockedReason(subject: string): FailureDetail | undefined {
    const { upstream } = this.#options;
    const reason = upstream.lastFailure(subject) ?? upstream.whyNoCall(subject);
    return reason?.detail ?? (upstream.hosts.areAllDown() ? 'upstream-unavailable' : undefined);
  }
}
