import type { CallBudget } from '../budget/call-budget.ts';
import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import type { SourceRows, Upstream } from '../upstream/port.ts';
import type { AccountGuard } from './account-guard.ts';
import { type BackoffRegistry, backoffMs, negativeMs } from './backoff-registry.ts';
import type { FetchFailure, UpstreamFetcher } from '../upstream/upstream-fetcher.ts';
import { type FlightContext, type Joined, SingleFlight, USER_WAIT_MS } from './single-flight.ts';
import type { ApiKeyStatus } from '../upstream/api-key-status.ts';
import type { CacheStore } from './cache-store.ts';
import type { PeerSync } from './peer-sync.ts';
import type { SourceSnapshot } from './port.ts';

/** With this share of the calls left that could be, a reader is let wait for a fresh answer whatever it is worth. */
const PLENTY = 0.5;

/** While anybody reads cards, the list that tells their status is no older than this. */
const LIST_AGE_MS = 120_000;

/** Ids that the list does not show make it be asked anew, no more often than this. */
const LIST_FOR_UNKNOWN_MS = 60_000;

/** No tick begins more refreshes than this, whatever the planner says. */
const MAX_PER_TICK = 50;

/** While another instance asks, this one looks this often, should it hear nothing. */
const POLL_EVERY_MS = 100;

/** How a refresh is made that no reader waits for. */
const BY_PLAN = { isUserFacing: false };

/** An answer to a key that has been replaced, or one that does not say whether the new key is of the same account. */
const NOT_OF_THIS_KEY: FetchFailure = {
  ok: false,
  code: 'upstream_unavailable',
  detail: 'key-changed',
  attempted: true,
  retryInMs: 1_000,
};

/** What a refresh comes to that a fault inside has ended. */
const BROKEN: FetchFailure = { ok: false, code: 'internal', detail: 'fault', attempted: false, retryInMs: 5_000 };

/** What became of a refresh. */
export type RefreshResult = { readonly ok: true } | FetchFailure;

export interface RefreshCoordinatorOptions {
  readonly upstream: Upstream;
  readonly upstreamFetcher: UpstreamFetcher;
  readonly callBudget: CallBudget;
  readonly planner: RefreshPlanner;
  readonly store: CacheStore;
  readonly account: AccountGuard;
  readonly backoffs: BackoffRegistry;
  readonly key: ApiKeyStatus;
  readonly clock: Clock;
  readonly random: () => number;
  readonly upstreamTimeoutMs: number;
  /** Hears of faults inside. */
  readonly onFault: (fault: unknown) => void;
  /** Other instances, where there can be any. */
  readonly peers?: PeerSync | undefined;
}

/** Refreshes cards and list: one call at a time about each thing, for readers who wait and by plan. */
export class RefreshCoordinator {
  readonly #options: RefreshCoordinatorOptions;
  readonly #singleFlight = new SingleFlight<RefreshResult>((fault) => {
    this.#options.onFault(fault);
    return BROKEN;
  });
  readonly #listeners = new Set<(snapshot: SourceSnapshot) => void>();
  #listTriedAt = -Infinity;
  #listWantedForUnknown = false;
  #lastViewAt = -Infinity;
  /** Sources that live streams of this instance watch. */
  readonly #watched = new Set<string>();

  constructor(options: RefreshCoordinatorOptions) {
    this.#options = options;
    options.peers?.start((snapshot) => this.#announce(snapshot));
  }

  get callsInFlight(): number {
    return this.#singleFlight.size;
  }

  onNewPulse(listeners: (snapshot: SourceSnapshot) => void): () => void {
    this.#listeners.add(listeners);
    return () => void this.#listeners.delete(listeners);
  }

  /** Records that readers of other instances look at sources. */
  recordPeerView(): void {
    this.#lastViewAt = this.#options.clock.now();
  }

  /** Records that a reader looked at a known source. */
  recordView(sourceId: string): void {
    this.#lastViewAt = this.#options.clock.now();
    this.#options.planner.recordView(sourceId, this.#lastViewAt);
  }

  /** Records how many live streams watch a known source: of this instance, and of all. */
  recordWatchers(sourceId: string, readersHere: number, readersInAll: number): void {
    const now = this.#options.clock.now();
    if (readersHere > 0) this.#watched.add(sourceId);
    else this.#watched.delete(sourceId);
    this.#lastViewAt = now;
    this.#options.planner.setWatchers(sourceId, readersInAll, now);
  }

  /** Records that somebody asked for an id that the list does not show: there may be a new one. */
  recordUnknownId(): void {
    this.#listWantedForUnknown = true;
  }

  /** The refresh of a card: one that is under way, or a new one. */
  joinPulse(sourceId: string, { isUserFacing }: { isUserFacing: boolean }): Joined<RefreshResult> {
    const { clock } = this.#options;
    return this.#singleFlight.join(sourceId, { now: clock.now(), isUserFacing }, (flightContext) =>
      this.#unlessInFlightElsewhere(sourceId, flightContext, () => this.#fetchPulse(sourceId, flightContext)),
    );
  }

  /** The refresh of the list: one that is under way, or a new one. */
  joinList({ isUserFacing }: { isUserFacing: boolean }): Joined<RefreshResult> {
    const { clock } = this.#options;
    return this.#singleFlight.join(LIST_ID, { now: clock.now(), isUserFacing }, (flightContext) =>
      this.#unlessInFlightElsewhere(LIST_ID, flightContext, () => this.#fetchList(flightContext)),
    );
  }

  /** Returns whether a reader who could have a stale answer shall wait a moment for a fresh one. */
  isWorthWaiting(subject: string, now: number): boolean {
    const { backoffs, upstreamFetcher, callBudget, planner } = this.#options;
    if (!upstreamFetcher.isUpstreamHealthy()) return false;
    const flight = this.#singleFlight.get(subject);
    if (flight) return now - flight.startedAt < USER_WAIT_MS;
    if (backoffs.activeBackoff(subject, now) || upstreamFetcher.blockedReason(kindOf(subject))) return false;
    const tokens = callBudget.status();
    return tokens.left >= PLENTY * tokens.maxLeft || planner.isWorthWaitingFor(subject, now, tokens);
  }

  /**
   * Why nothing newer than what is kept can be had now, in a word, if so. A failure counts until an answer ends it: that
   * its rest is over does not make anything newer reachable.
   */
  blockedReason(subject: string, now: number): string | undefined {
    const { backoffs, upstreamFetcher } = this.#options;
    return backoffs.lastFailure(subject, now)?.detail ?? upstreamFetcher.degradedReason(kindOf(subject))?.detail;
  }

  /** Makes the refreshes that are due, as far as they are worth it and can be paid. */
  async tick(): Promise<void> {
    const { clock, upstreamFetcher, planner, callBudget, backoffs } = this.#options;
    const now = clock.now();
    if (this.#isListDue(now)) await this.joinList(BY_PLAN).flight.sent;
    if (this.#options.peers?.isLeader === false) return;
    const tried = new Set<string>();
    while (tried.size < MAX_PER_TICK && !upstreamFetcher.blockedReason('pulse')) {
      const candidate = planner.next(now, callBudget.status(), tried);
      if (!candidate) return;
      tried.add(candidate.id);
      const rest = backoffs.activeBackoff(candidate.id, now);
      if (rest) planner.backOffUntil(candidate.id, now + rest.retryInMs, now);
      else await this.#join(candidate.id).flight.sent;
    }
  }

  /** Records that the key is another: it is tried at once. */
  keyChanged(): void {
    this.#options.key.reset();
    this.#options.backoffs.clearCodes('upstream_auth');
    this.joinList({ isUserFacing: true });
  }

  async allSettled(): Promise<void> {
    await this.#singleFlight.allSettled();
  }

  #join(subject: string): Joined<RefreshResult> {
    return subject === LIST_ID ? this.joinList(BY_PLAN) : this.joinPulse(subject, BY_PLAN);
  }

  #isListDue(now: number): boolean {
    const { store, upstreamFetcher, backoffs } = this.#options;
    if (backoffs.activeBackoff(LIST_ID, now) || upstreamFetcher.blockedReason('sources')) return false;
    if (!store.list || !store.hasAnswers) return true;
    const isWanted = this.#listWantedForUnknown && now - this.#listAt >= LIST_FOR_UNKNOWN_MS;
    if (this.#options.peers?.isLeader === false) return isWanted;
    // The list is what a host that failed is tried with: it concerns all, and nobody waits for it.
    if (!upstreamFetcher.isUpstreamHealthy()) return this.#isRead(now);
    return isWanted || (this.#isRead(now) && now - store.list.askedAt >= LIST_AGE_MS);
  }

  /** Whether anybody reads cards: by a view lately, or by a live stream that is open. */
  #isRead(now: number): boolean {
    return this.#watched.size > 0 || now - this.#lastViewAt < LIST_AGE_MS;
  }

  /** When the list was last asked for, here or elsewhere. */
  get #listAt(): number {
    return Math.max(this.#listTriedAt, this.#options.store.list?.askedAt ?? -Infinity);
  }

  /** Lets what other instances know, or are being told, stand in for a call of our own. */
  async #unlessInFlightElsewhere(
    subject: string,
    { onSent }: FlightContext,
    ask: () => Promise<RefreshResult>,
  ): Promise<RefreshResult> {
    const { peers: others, clock, upstreamTimeoutMs } = this.#options;
    if (!others) return ask();
    const until = clock.now() + upstreamTimeoutMs;
    const fencingToken = others.fencingTokenOf(subject);
    for (;;) {
      const known = await others.fetchNewer(subject, fencingToken);
      const result = known ?? (await ask());
      if (result.ok || result.inFlightElsewhere !== true || clock.now() >= until) return result;
      onSent();
      await others.waitForUpdate(subject, POLL_EVERY_MS);
    }
  }

  async #fetchPulse(sourceId: string, { onSent, isUserFacing }: FlightContext): Promise<RefreshResult> {
    const { upstreamFetcher, store, planner, upstream, clock } = this.#options;
    const isKnown = store.ids.has(sourceId);
    const result = await upstreamFetcher.fetch({
      question: { kind: 'pulse', sourceId },
      subject: sourceId,
      bucket: isKnown ? 'known' : 'unknown',
      isUserFacing,
      seenFencingToken: () => this.#options.peers?.fencingTokenOf(sourceId),
      demand: () => planner.explain(sourceId, clock.now())?.viewsPerMinute ?? 0,
      call: (host, fetchRequest) => upstream.latestPulse(host, sourceId, fetchRequest),
      onLeave: (now) => {
        if (isKnown) planner.recordAttempt(sourceId, now);
        onSent();
      },
    });
    if (!result.ok) return this.#failed(sourceId, result);
    if (!this.#options.account.admits(result.owner)) return this.#failed(sourceId, NOT_OF_THIS_KEY);
    const pulse = result.value.kind === 'found' ? result.value.pulse : null;
    this.#stored(sourceId, store.storeAnswer(sourceId, pulse, result));
    this.#options.peers?.publishPulse(sourceId, result);
    return { ok: true };
  }

  async #fetchList({ onSent, isUserFacing }: FlightContext): Promise<RefreshResult> {
    const { upstreamFetcher, store, planner, upstream, clock } = this.#options;
    this.#listTriedAt = clock.now();
    const result = await upstreamFetcher.fetch<SourceRows>({
      question: { kind: 'sources' },
      subject: LIST_ID,
      bucket: 'known',
      isUserFacing,
      seenFencingToken: () => this.#options.peers?.fencingTokenOf(LIST_ID),
      // Until there is a list, nobody can be told anything.
      demand: () => Infinity,
      call: (host, fetchRequest) => upstream.listSources(host, fetchRequest),
      onLeave: (now) => {
        planner.recordAttempt(LIST_ID, now);
        onSent();
      },
    });
    if (!result.ok) return this.#failed(LIST_ID, result);
    if (!this.#options.account.admits(result.owner)) return this.#failed(LIST_ID, NOT_OF_THIS_KEY);
    this.#listWantedForUnknown = false;
    const changed = store.storeList(result.value, result);
    this.#answered(LIST_ID, changed);
    this.#options.peers?.publishList();
    return { ok: true };
  }

  #stored(sourceId: string, changed: SourceSnapshot | undefined): void {
    const { store } = this.#options;
    if (!store.ids.has(sourceId)) return this.#recordAbsent(sourceId);
    this.#answered(sourceId, changed !== undefined);
    if (changed) this.#announce(changed);
  }

  #announce(snapshot: SourceSnapshot): void {
    for (const listeners of this.#listeners) listeners(snapshot);
  }

  #answered(subject: string, changed: boolean): void {
    const { backoffs, planner, clock, store, key } = this.#options;
    backoffs.recordSuccess(subject);
    planner.recordRefresh(subject, clock.now(), { changed });
    store.keyRefused(key.status(clock.now()).refusedForMs);
  }

  /** An id that the upstream does not know is left alone for longer and longer. */
  #recordAbsent(sourceId: string): void {
    const { backoffs, clock, random } = this.#options;
    backoffs.recordSuccess(sourceId);
    backoffs.recordAbsentUnknown(sourceId, (consecutive) => clock.now() + negativeMs(consecutive, random));
  }

  #failed(subject: string, failed: FetchFailure): FetchFailure {
    if (!failed.attempted) return failed;
    const { planner, backoffs, clock, random, store, key } = this.#options;
    const now = clock.now();
    const isOwnFault = failed.allHostsDown !== true && failed.code !== 'upstream_auth';
    const until = isOwnFault
      ? backoffs.recordFailure(subject, failed, (consecutive) => now + backoffMs(consecutive, random))
      : backoffs.hold(subject, failed, now + failed.retryInMs);
    if (subject === LIST_ID || store.ids.has(subject)) {
      planner.recordFailure(subject, now);
      planner.backOffUntil(subject, until, now);
    }
    store.keyRefused(key.status(now).refusedForMs);
    this.#options.peers?.publishFailure(subject, failed, until - now);
    return { ...failed, retryInMs: until - now };
  }
}

function kindOf(subject: string): 'sources' | 'pulse' {
  return subject === LIST_ID ? 'sources' : 'pulse';
}
