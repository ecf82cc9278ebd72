import type { CallBudget } from '../budget/call-budget.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import type { SourceRows, Upstream } from '../upstream/port.ts';
import type { AccountGuard } from './account-guard.ts';
import type { ActiveBackoff, BackoffRegistry } from './backoff-registry.ts';
import { FAULT, type FetchFailure, type FetchSuccess, KEY_CHANGED, notAttempted } from '../upstream/fetch-result.ts';
import type { FetchRequest, UpstreamFetcher } from '../upstream/upstream-fetcher.ts';
import { type FlightContext, type JoinedFlight, SingleFlight, USER_WAIT_MS } from './single-flight.ts';
import type { ApiKeyStatus } from '../upstream/api-key.ts';
import { type CacheStore, kindOf } from './cache-store.ts';
import type { DemandTracker } from './demand-tracker.ts';
import type { PeerSync, RefreshResult } from './peer-sync.ts';
import type { SourceSnapshot } from './port.ts';

/** While at least this share of the budget is left, a reader waits for a fresh answer whatever its refresh value. */
const PLENTY = 0.5;

/** The age at which the list is refreshed while there are readers. */
const LIST_AGE_MS = 120_000;

/** The age at which the list is refreshed after a failed call. */
const LIST_AFTER_FAILURE_MS = 15_000;

/** How often requests for ids that are not on the list refresh it. */
const LIST_FOR_UNKNOWN_MS = 60_000;

/** Other failing sources are retried first. */
const RETRY_HELD = notAttempted('upstream_unavailable', 'upstream-error', 5_000);

/** The most refreshes that one tick starts. */
const MAX_PER_TICK = 50;

export interface RefreshCoordinatorOptions {
  readonly upstream: Upstream;
  readonly upstreamFetcher: UpstreamFetcher;
  readonly callBudget: CallBudget;
  readonly planner: RefreshPlanner;
  readonly demandTracker: DemandTracker;
  readonly store: CacheStore;
  readonly account: AccountGuard;
  readonly backoffs: BackoffRegistry;
  readonly key: ApiKeyStatus;
  readonly clock: Clock;
  /** Receives unexpected errors. */
  readonly onFault: (fault: unknown) => void;
  /** The other instances. @default this is the only one */
  readonly peers?: PeerSync | undefined;
}

/** Refreshes sources and the list, on demand and by plan: one call at a time on each subject. */
export class RefreshCoordinator {
  readonly #options: RefreshCoordinatorOptions;
  readonly #singleFlight = new SingleFlight<RefreshResult>((fault) => {
    this.#options.onFault(fault);
    return FAULT;
  });
  readonly #listeners = new Set<(snapshot: SourceSnapshot) => void>();
  #listTriedAt = -Infinity;
  #listWantedForUnknown = false;

  constructor(options: RefreshCoordinatorOptions) {
    this.#options = options;
    options.peers?.start((snapshot) => this.#announce(snapshot));
  }

  get callsInFlight(): number {
    return this.#singleFlight.size;
  }

  onNewPulse(listener: (snapshot: SourceSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Records a request for an id that is not on the list: there may be a newer list. */
  recordUnknownId(): void {
    this.#listWantedForUnknown = true;
  }

  /** The refresh of a source, or of the list for `LIST_ID`: the one that is under way, or a new one. */
  join(subject: string, { isUserFacing }: { readonly isUserFacing: boolean }): JoinedFlight<RefreshResult> {
    const { clock, peers } = this.#options;
    return this.#singleFlight.join(subject, { now: clock.now(), isUserFacing }, (context) => {
      const fetch = () => (subject === LIST_ID ? this.#fetchList(context) : this.#fetchPulse(subject, context));
      return peers ? peers.fetchOnce(subject, fetch, context) : fetch();
    });
  }

  /** Returns whether a reader with a stale answer should wait for a fresh one. */
  isWorthWaiting(subject: string, now: number): boolean {
    const { upstreamFetcher, callBudget, planner } = this.#options;
    if (!upstreamFetcher.isUpstreamHealthy()) return false;
    const flight = this.#singleFlight.get(subject);
    if (flight) return now - flight.startedAt < USER_WAIT_MS;
    if (this.activeFailure(subject, now) || upstreamFetcher.blockedReason(kindOf(subject))) return false;
    const tokens = callBudget.status();
    return tokens.left >= PLENTY * tokens.maxLeft || planner.isWorthWaitingFor(subject, now, tokens);
  }

  /**
   * Why no newer answer is available, as a `Cache-Status` detail. A failure stands until a request succeeds; the end of its
   * backoff alone changes nothing.
   */
  blockedReason(subject: string, now: number): string | undefined {
    const { backoffs, upstreamFetcher } = this.#options;
    return backoffs.lastFailure(subject, now)?.detail ?? upstreamFetcher.degradedReason(kindOf(subject))?.detail;
  }

  /** The failure that a reader gets instead of a call: in its backoff, or while other failing sources are retried. */
  activeFailure(subject: string, now: number): ActiveBackoff | undefined {
    const { backoffs, planner } = this.#options;
    const isHeld = backoffs.isActive(subject, now) || planner.isRetryHeld(subject, now);
    return isHeld ? (backoffs.lastFailure(subject, now) ?? RETRY_HELD) : undefined;
  }

  /** Starts the planned refreshes that are due and worth a call of the budget. */
  async tick(): Promise<void> {
    const { clock, upstreamFetcher, planner, callBudget, backoffs } = this.#options;
    const now = clock.now();
    if (this.#isListDue(now)) await this.join(LIST_ID, { isUserFacing: false }).flight.sent;
    if (this.#options.peers?.isLeader === false) return;
    const tried = new Set<string>();
    const canRefresh = (id: string): boolean => !tried.has(id) && !backoffs.isActive(id, now);
    while (tried.size < MAX_PER_TICK && !upstreamFetcher.blockedReason('pulse')) {
      const candidate = planner.next(now, callBudget.status(), canRefresh);
      if (!candidate) return;
      tried.add(candidate.id);
      await this.join(candidate.id, { isUserFacing: false }).flight.sent;
    }
  }

  /** Records that the key was replaced: it is tried at once. */
  keyChanged(): void {
    this.#options.key.reset();
    this.#options.backoffs.clearCodes('upstream_auth');
    this.join(LIST_ID, { isUserFacing: true });
  }

  async allSettled(): Promise<void> {
    await this.#singleFlight.allSettled();
  }

  #isListDue(now: number): boolean {
    const { store, upstreamFetcher, backoffs, demandTracker } = this.#options;
    if (backoffs.isActive(LIST_ID, now) || upstreamFetcher.blockedReason('sources')) return false;
    if (!store.list || !store.hasAnswers) return true;
    const isWanted = this.#listWantedForUnknown && now - this.#listAt >= LIST_FOR_UNKNOWN_MS;
    if (this.#options.peers?.isLeader === false) return isWanted;
    if (isWanted) return true;
    if (!demandTracker.hasReaders(now)) return false;
    // The list is the trial call to a failed host: no reader waits for it.
    if (upstreamFetcher.allHostsDown()) return true;
    // After a failed call it shows whether the host failed or the source alone.
    const isCallFailed = !upstreamFetcher.isUpstreamHealthy() || backoffs.lastFailure(LIST_ID, now) !== undefined;
    const maxAgeMs = isCallFailed ? LIST_AFTER_FAILURE_MS : LIST_AGE_MS;
    return now - store.list.requestedAt >= maxAgeMs;
  }

  /** When the list was last requested, by this instance or another. */
  get #listAt(): number {
    return Math.max(this.#listTriedAt, this.#options.store.list?.requestedAt ?? -Infinity);
  }

  async #fetchPulse(sourceId: string, context: FlightContext): Promise<RefreshResult> {
    const { store, planner, upstream, clock, peers } = this.#options;
    const result = await this.#fetch(sourceId, context, {
      request: { kind: 'pulse', sourceId },
      demand: () => planner.explain(sourceId, clock.now())?.viewsPerMinute ?? 0,
      call: (host, options) => upstream.latestPulse(host, sourceId, options),
    });
    if (!result.ok) return result;
    const pulse = result.value.kind === 'found' ? result.value.pulse : null;
    this.#stored(sourceId, store.storeAnswer(sourceId, pulse, result));
    peers?.publishPulse(sourceId, result);
    return { ok: true };
  }

  async #fetchList(context: FlightContext): Promise<RefreshResult> {
    const { store, upstream, clock, peers } = this.#options;
    this.#listTriedAt = clock.now();
    const result = await this.#fetch<SourceRows>(LIST_ID, context, {
      request: { kind: 'sources' },
      // No reader can be served before there is a list.
      demand: () => Infinity,
      call: (host, options) => upstream.listSources(host, options),
    });
    if (!result.ok) return result;
    this.#listWantedForUnknown = false;
    this.#answered(LIST_ID, store.storeList(result.value, result));
    peers?.publishList();
    return { ok: true };
  }

  /** Fetches what may be stored: an answer to the key in use, of the account whose answers the cache holds. */
  async #fetch<Value>(
    subject: string,
    { onSent, isUserFacing }: FlightContext,
    parts: Pick<FetchRequest<Value>, 'request' | 'demand' | 'call'>,
  ): Promise<FetchSuccess<Value> | FetchFailure> {
    const { upstreamFetcher, account, planner, peers } = this.#options;
    const isKnown = this.#isKnown(subject);
    const result = await upstreamFetcher.fetch({
      ...parts,
      subject,
      bucket: isKnown ? 'known' : 'unknown',
      isUserFacing,
      seenFencingToken: () => peers?.fencingTokenOf(subject),
      onSent: (now) => {
        if (isKnown) planner.recordAttempt(subject, now);
        onSent();
      },
    });
    if (!result.ok) return this.#failed(subject, result);
    return account.accepts(result.owner) ? result : this.#failed(subject, KEY_CHANGED);
  }

  #isKnown(subject: string): boolean {
    return subject === LIST_ID || this.#options.store.ids.has(subject);
  }

  #stored(sourceId: string, changed: SourceSnapshot | undefined): void {
    const { store, backoffs, clock } = this.#options;
    if (!store.ids.has(sourceId)) {
      backoffs.recordSuccess(sourceId);
      return backoffs.recordAbsence(sourceId, clock.now());
    }
    this.#answered(sourceId, changed !== undefined);
    if (changed) this.#announce(changed);
  }

  #announce(snapshot: SourceSnapshot): void {
    for (const listener of this.#listeners) listener(snapshot);
  }

  #answered(subject: string, changed: boolean): void {
    const { backoffs, planner, clock, store, key } = this.#options;
    backoffs.recordSuccess(subject);
    planner.recordRefresh(subject, clock.now(), { changed });
    store.keyRefused(key.status(clock.now()).refusedForMs);
  }

  #failed(subject: string, failure: FetchFailure): FetchFailure {
    if (!failure.attempted) return failure;
    const { planner, backoffs, clock, store, key, peers } = this.#options;
    const now = clock.now();
    const isOwn = isOwnFailure(failure);
    const retryInMs = isOwn ? backoffs.recordFailure(subject, failure, now) : failure.retryInMs;
    if (!isOwn) backoffs.hold(subject, failure, now + retryInMs);
    if (this.#isKnown(subject)) planner.recordFailure(subject, now);
    store.keyRefused(key.status(now).refusedForMs);
    peers?.publishFailure(subject, failure, retryInMs);
    return { ...failure, retryInMs };
  }
}

/** Returns whether a call failed because of its subject, not because no call can succeed. */
function isOwnFailure({ allHostsDown, code }: FetchFailure): boolean {
  return allHostsDown !== true && code !== 'upstream_auth' && code !== 'upstream_rate_limited';
}
