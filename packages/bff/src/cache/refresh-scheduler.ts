import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import type { UpstreamFetcher } from '../upstream/upstream-fetcher.ts';
import type { CacheStore } from './cache-store.ts';
import type { RefreshCoordinator } from './refresh-coordinator.ts';

/** The age at which the list is refreshed, whatever readers ask for. */
const LIST_AGE_MS = 120_000;

/** The age at which the list is refreshed after a failed call. */
const LIST_AFTER_FAILURE_MS = 15_000;

/** The most refreshes that one tick starts. */
const MAX_PER_TICK = 50;

export interface RefreshSchedulerOptions {
  readonly refreshCoordinator: RefreshCoordinator;
  readonly upstreamFetcher: UpstreamFetcher;
  readonly planner: RefreshPlanner;
  readonly store: CacheStore;
}

/** Starts the refreshes that no reader waits for: of the list when it is due, of sources as the planner says. */
export class RefreshScheduler {
  readonly #options: RefreshSchedulerOptions;

  constructor(options: RefreshSchedulerOptions) {
    this.#options = options;
  }

  /** Starts the refreshes that are due. */
  async tick(now: number): Promise<void> {
    const { refreshCoordinator, upstreamFetcher, planner } = this.#options;
    const { gate } = upstreamFetcher;
    if (this.#isListDue(now)) await refreshCoordinator.join(LIST_ID, { isUserFacing: false }).flight.sent;
    const first = this.#firstSource(now);
    if (first !== undefined) await refreshCoordinator.join(first, { isUserFacing: false }).flight.sent;
    const tried = new Set<string>();
    const canRefresh = (id: string): boolean => !tried.has(id) && !gate.refusal(id, now);
    while (tried.size < MAX_PER_TICK) {
      const subject = planner.next(now, upstreamFetcher.budget, canRefresh);
      if (subject === undefined) return;
      tried.add(subject);
      await refreshCoordinator.join(subject, { isUserFacing: false }).flight.sent;
    }
  }

  /** A source to begin with where the list cannot be had: without it no reader might ever be sent here. */
  #firstSource(now: number): string | undefined {
    const { store, upstreamFetcher } = this.#options;
    const hasNothing =
      store.newestPulseAt === undefined && !store.list && upstreamFetcher.gate.lastFailure(LIST_ID, now);
    if (!hasNothing) return undefined;
    for (const id of store.ids.all) return upstreamFetcher.refusal(id) ? undefined : id;
    return undefined;
  }

  #isListDue(now: number): boolean {
    const { store, upstreamFetcher } = this.#options;
    const { list } = store;
    const { gate } = upstreamFetcher;
    if (upstreamFetcher.refusal(LIST_ID)) return false;
    if (!list) return true;
    // The list is the trial call to a failed host: no reader waits for it.
    if (gate.hosts.allHostsDown()) return true;
    // After a failed call it shows whether the host failed or the source alone.
    const isCallFailed = !gate.hosts.isHealthy(now) || gate.lastFailure(LIST_ID, now) !== undefined;
    return now - list.requestedAt >= (isCallFailed ? LIST_AFTER_FAILURE_MS : LIST_AGE_MS);
  }
}
