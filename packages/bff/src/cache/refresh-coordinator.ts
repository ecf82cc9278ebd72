import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import { FAULT, type FetchFailure, KEY_CHANGED } from '../upstream/fetch-result.ts';
import type { FetchRequest, UpstreamFetcher } from '../upstream/upstream-fetcher.ts';
import type { CacheStore } from './cache-store.ts';
import type { CacheWriter } from './cache-writer.ts';
import type { PeerSync, RefreshResult } from './peer-sync.ts';
import { type Flight, type FlightContext, type JoinedFlight, SingleFlight } from './single-flight.ts';

export interface RefreshCoordinatorOptions {
  readonly upstreamFetcher: UpstreamFetcher;
  readonly store: CacheStore;
  readonly writer: CacheWriter;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
  /** The other instances. @default this is the only one */
  readonly peers?: PeerSync | undefined;
  /** Receives unexpected errors. */
  readonly onFault: (fault: unknown) => void;
}

/** Refreshes sources and the list: one call at a time on each subject, over all instances. */
export class RefreshCoordinator {
  readonly #options: RefreshCoordinatorOptions;
  readonly #singleFlight = new SingleFlight<RefreshResult>((fault) => {
    this.#options.onFault(fault);
    return FAULT;
  });

  constructor(options: RefreshCoordinatorOptions) {
    this.#options = options;
  }

  get callsInFlight(): number {
    return this.#singleFlight.size;
  }

  /** The refresh of a subject that is under way. */
  flightOf(subject: string): Flight<RefreshResult> | undefined {
    return this.#singleFlight.get(subject);
  }

  /** The refresh of a source, or of the list for `LIST_ID`: the one that is under way, or a new one. */
  join(subject: string, { isUserFacing }: { readonly isUserFacing: boolean }): JoinedFlight<RefreshResult> {
    const { clock, peers } = this.#options;
    return this.#singleFlight.join(subject, { now: clock.now(), isUserFacing }, (context) => {
      const fetch = () => (subject === LIST_ID ? this.#fetchList(context) : this.#fetchPulse(subject, context));
      return peers ? peers.fetchOnce(subject, fetch, context) : fetch();
    });
  }

  async allSettled(): Promise<void> {
    await this.#singleFlight.allSettled();
  }

  async #fetchPulse(sourceId: string, context: FlightContext): Promise<RefreshResult> {
    const { upstreamFetcher, writer, planner, clock, peers } = this.#options;
    const demand = () => planner.explain(sourceId, clock.now())?.viewsPerMinute ?? 0;
    const result = await upstreamFetcher.fetchPulse(this.#requestOf(sourceId, demand, context));
    if (!result.ok) return this.#failed(sourceId, result);
    const pulse = result.value.kind === 'found' ? result.value.pulse : null;
    if (!writer.storePulse(sourceId, pulse, result, clock.now())) return this.#failed(sourceId, KEY_CHANGED);
    peers?.publishPulse(sourceId, result);
    return { ok: true };
  }

  async #fetchList(context: FlightContext): Promise<RefreshResult> {
    const { upstreamFetcher, writer, clock, peers } = this.#options;
    // No reader can be served before there is a list.
    const result = await upstreamFetcher.fetchSources(this.#requestOf(LIST_ID, () => Infinity, context));
    if (!result.ok) return this.#failed(LIST_ID, result);
    if (!writer.storeList(result.value, result, clock.now())) return this.#failed(LIST_ID, KEY_CHANGED);
    peers?.publishList();
    return { ok: true };
  }

  #requestOf(subject: string, demand: () => number, { onSent, isUserFacing }: FlightContext): FetchRequest {
    const { planner, peers } = this.#options;
    return {
      subject,
      isUserFacing,
      demand,
      seenFencingToken: () => peers?.seenFencingToken(subject),
      onSent: (now) => {
        planner.recordAttempt(subject, now);
        onSent();
      },
    };
  }

  #failed(subject: string, failure: FetchFailure): FetchFailure {
    if (!failure.attempted) return failure;
    const { writer, peers } = this.#options;
    const retryInMs = writer.recordFailure(subject, failure);
    peers?.publishFailure(subject, failure, retryInMs);
    return { ...failure, retryInMs };
  }
}
