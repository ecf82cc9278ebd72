import type { Clock } from '../clock.ts';
import { LIST_ID } from '../planner/refresh-planner.ts';
import type { AccountGuard } from './account-guard.ts';
import type { FetchFailure, RequestInfo } from '../upstream/fetch-result.ts';
import type { UpstreamFetcher } from '../upstream/upstream-fetcher.ts';
import { type CacheStore, kindOf } from './cache-store.ts';
import type { CacheWriter } from './cache-writer.ts';
import type { SharedCache, SharedEntry, SharedFailure, SharedList, SharedPulse } from './port.ts';
import type { BackoffRegistry } from './backoff-registry.ts';
import type { FlightContext } from './single-flight.ts';

/** The outcome of a refresh, by a call of this instance or of another. */
export type RefreshResult = { readonly ok: true } | FetchFailure;

export interface PeerSyncOptions {
  readonly shared: SharedCache;
  readonly store: CacheStore;
  readonly writer: CacheWriter;
  readonly account: AccountGuard;
  readonly backoffs: BackoffRegistry;
  readonly upstreamFetcher: UpstreamFetcher;
  readonly clock: Clock;
  /** How old an answer of another instance may be, in ms. */
  readonly freshForMs: number;
}

/** How often the shared cache is polled while another instance has the call in flight. */
const POLL_EVERY_MS = 100;

/** All subjects: no source id has a `*`. */
const ALL = '*all';

/** Replicates answers and failures between the instances. */
export class PeerSync {
  readonly #options: PeerSyncOptions;
  readonly #waiters = new Map<string, Set<() => void>>();
  /** Subjects being synced, or `ALL`; `again`: wanted once more. */
  readonly #running = new Map<string, { again: boolean }>();

  constructor(options: PeerSyncOptions) {
    this.#options = options;
  }

  /** Whether this instance makes the planned refreshes. */
  get isLeader(): boolean {
    return this.#options.shared.isLeader;
  }

  /** The fencing token of the cached answer; 0 where there is none. */
  fencingTokenOf(subject: string): number {
    return this.#options.store.entryOf(subject)?.fencingToken ?? 0;
  }

  /** Uses the answer of another instance, or waits for its call in flight; makes a call with `fetch` where there is neither. */
  async fetchOnce(
    subject: string,
    fetch: () => Promise<RefreshResult>,
    { onSent }: FlightContext,
  ): Promise<RefreshResult> {
    const { clock, upstreamFetcher } = this.#options;
    const until = clock.now() + upstreamFetcher.timeoutMs;
    const fencingToken = this.fencingTokenOf(subject);
    for (;;) {
      const result = (await this.#fetchNewer(subject, fencingToken)) ?? (await fetch());
      if (result.ok || result.inFlightElsewhere !== true || clock.now() >= until) return result;
      onSent();
      await this.#waitForUpdate(subject, POLL_EVERY_MS);
    }
  }

  /** Takes over what the shared cache has; returns the outcome for a refresh that began at `fencingToken`, if that ends it. */
  async #fetchNewer(subject: string, fencingToken: number): Promise<RefreshResult | undefined> {
    const { clock, freshForMs, shared, store } = this.#options;
    const found = await shared.get(subject);
    this.#apply(subject, found);
    const requestedAt = store.entryOf(subject)?.requestedAt;
    const isChange = this.fencingTokenOf(subject) > fencingToken && requestedAt !== undefined;
    if (isChange && clock.now() - requestedAt < freshForMs) return { ok: true };
    return found.failure && this.#applyFailure(subject, found.failure);
  }

  /** Resolves when a subject is invalidated, or after `ms`. */
  async #waitForUpdate(subject: string, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiters = this.#waiters.get(subject) ?? new Set();
    this.#waiters.set(subject, waiters.add(resolve));
    const cancel = this.#options.clock.schedule(ms, resolve);
    await promise;
    cancel();
    waiters.delete(resolve);
    if (waiters.size === 0) this.#waiters.delete(subject);
  }

  /** Takes over what another instance has stored for a subject. */
  async onInvalidation(subject: string): Promise<void> {
    const { store, shared } = this.#options;
    const isWaitedFor = this.#waiters.has(subject);
    if (!isWaitedFor && subject !== LIST_ID && !store.ids.has(subject)) return;
    await this.#coalesce(subject, async () => {
      const found = await shared.get(subject);
      this.#apply(subject, found);
      if (found.failure) this.#applyFailure(subject, found.failure);
      for (const wake of this.#waiters.get(subject) ?? []) wake();
    });
  }

  /** Compares all entries with the shared cache and copies the newer ones, either way. */
  async syncAll(): Promise<void> {
    await this.#coalesce(ALL, async () => {
      await this.#sync(LIST_ID);
      for (const subject of this.#options.store.ids.all) await this.#sync(subject);
    });
  }

  /** Runs `sync`, never twice at once for the same subject; once more where it was wanted meanwhile. */
  async #coalesce(subject: string, sync: () => Promise<void>): Promise<void> {
    const running = this.#running.get(subject);
    if (running) return void (running.again = true);
    const run = { again: true };
    this.#running.set(subject, run);
    while (run.again) {
      run.again = false;
      await sync();
    }
    this.#running.delete(subject);
  }

  publishPulse(sourceId: string, { requestedAt, requestedAtMs, fencingToken }: RequestInfo): void {
    const { store, account, shared } = this.#options;
    const pulse = store.entry(sourceId)?.value.pulse;
    const { owner } = account;
    if (pulse !== undefined && owner)
      shared.storePulse(sourceId, { pulse, requestedAt, requestedAtMs, fencingToken, owner });
  }

  publishList(): void {
    const { store, account, shared } = this.#options;
    const { owner } = account;
    if (!store.list || !owner) return;
    const { value, requestedAt, fencingToken, unreadableRows } = store.list;
    const { requestedAtMs, sources: rows } = value;
    const discovered = [...store.ids.listed];
    shared.storeList({ rows, unreadableRows, discovered, requestedAt, requestedAtMs, fencingToken, owner });
  }

  publishFailure(subject: string, { code, detail, status }: FetchFailure, retryInMs: number): void {
    this.#options.shared.storeFailure(subject, { code, detail, status, retryInMs });
  }

  async #sync(subject: string): Promise<void> {
    const found = await this.#options.shared.get(subject);
    this.#apply(subject, found);
    const theirs = (found.list ?? found.pulse)?.fencingToken ?? -1;
    if (this.fencingTokenOf(subject) <= theirs) return;
    if (subject === LIST_ID) return this.publishList();
    const entry = this.#options.store.entry(subject);
    if (entry) this.publishPulse(subject, { ...entry, requestedAtMs: entry.value.requestedAtMs });
  }

  #apply(subject: string, { pulse, list }: SharedEntry): void {
    const { account, shared } = this.#options;
    const found = list ?? pulse;
    if (!found) return;
    // An entry that no instance can use would keep all of them waiting.
    if (!account.acceptsShared(found.owner)) return shared.forget(subject);
    if (list && list.fencingToken > this.fencingTokenOf(subject)) this.#applyList(list);
    if (pulse && this.#isNewer(subject, pulse)) this.#applyPulse(subject, pulse);
  }

  /** A restored entry has no fencing token: then the later request has the newer answer. */
  #isNewer(subject: string, { fencingToken, requestedAt }: SharedPulse): boolean {
    const cached = this.#options.store.entry(subject);
    return (
      cached === undefined ||
      (fencingToken > cached.fencingToken && (cached.fencingToken > 0 || requestedAt >= cached.requestedAt))
    );
  }

  #applyList(list: SharedList): void {
    const { store, writer, upstreamFetcher } = this.#options;
    store.ids.addListed(list.discovered);
    writer.storeList(list, list, list.requestedAt);
    upstreamFetcher.key.recordAccepted('sources');
  }

  #applyPulse(sourceId: string, answer: SharedPulse): void {
    const { writer, upstreamFetcher } = this.#options;
    writer.storePulse(sourceId, answer.pulse, answer, answer.requestedAt);
    upstreamFetcher.key.recordAccepted('pulse');
  }

  #applyFailure(subject: string, failure: SharedFailure): FetchFailure {
    const { backoffs, upstreamFetcher, clock } = this.#options;
    const { key } = upstreamFetcher;
    const now = clock.now();
    const { code, detail, status, retryInMs } = failure;
    const failed = { ok: false, code, detail, retryInMs, attempted: true, ...(status && { status }) } as const;
    const kind = kindOf(subject);
    if (code === 'upstream_auth' && (status === 401 || status === 403) && key.refusedForMs(kind, now) === undefined)
      key.recordRefusal(kind, status, now);
    backoffs.hold(subject, failed, now + retryInMs);
    return failed;
  }
}
