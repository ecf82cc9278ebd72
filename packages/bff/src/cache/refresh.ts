import type { ReadPulse } from '@pulse-card/contract';
import type { Clock } from '../clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import { type Failure, notAttempted } from '../upstream/gate.ts';
import { listOperation, pulseOperation, type SourceRows } from '../upstream/response.ts';
import { type Answer, type FetchRequest, KEY_CHANGED, type Upstream } from '../upstream/upstream.ts';
import type { AccountGuard } from './account-guard.ts';
import type { CacheStore } from './cache-store.ts';
import { type Flight, type FlightContext, type JoinedFlight, SingleFlight } from './single-flight.ts';

/** The age at which the list is refreshed, whatever readers ask for. */
const LIST_AGE_MS = 120_000;

/** The age at which the list is refreshed after a failed call. */
const LIST_AFTER_FAILURE_MS = 15_000;

/** The most refreshes that one tick starts. */
const MAX_PER_TICK = 50;

/** The outcome of a refresh, by a call of this instance or of another. */
export type RefreshResult = { readonly ok: true } | Failure;

/** When an answer was requested, and whose it is. */
type AnswerInfo = Omit<Answer<unknown>, 'value'>;

type RequestInfo = Omit<AnswerInfo, 'owner'>;

/** An unexpected error ended the refresh. */
const FAULT = notAttempted('internal', 'fault', 5_000);

/** The other instances, as a refresh sees them. */
export interface Peers {
  /** Uses the answer of another instance, or that of `fetch`. */
  fetchOnce(subject: string, fetch: () => Promise<RefreshResult>, flightContext: FlightContext): Promise<RefreshResult>;
  /** The fencing token of the cached answer; undefined where an answer of another instance could not be used. */
  seenFencingToken(subject: string): number | undefined;
  publishPulse(sourceId: string, info: RequestInfo): void;
  publishList(): void;
  publishFailure(subject: string, failure: Failure, retryInMs: number): void;
}

export interface RefresherOptions {
  readonly upstream: Upstream;
  readonly store: CacheStore;
  readonly account: AccountGuard;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
  /** Receives unexpected errors. */
  readonly onFault: (fault: unknown) => void;
}

/** Refreshes sources and the list, one call at a time on each subject over all instances, and stores what the calls bring. */
export class Refresher {
  /** The other instances. @default this is the only one */
  peers: Peers | undefined;
  readonly #options: RefresherOptions;
  readonly #singleFlight = new SingleFlight<RefreshResult>((fault) => {
    this.#options.onFault(fault);
    return FAULT;
  });

  constructor(options: RefresherOptions) {
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
    return this.#singleFlight.join(subject, { now: this.#options.clock.now(), isUserFacing }, (context) => {
      const fetch = () => (subject === LIST_ID ? this.#fetchList(context) : this.#fetchPulse(subject, context));
      return this.peers ? this.peers.fetchOnce(subject, fetch, context) : fetch();
    });
  }

  async allSettled(): Promise<void> {
    await this.#singleFlight.allSettled();
  }

  /** Starts the refreshes that no reader waits for: of the list when it is due, of sources as the planner says. */
  async tick(now: number): Promise<void> {
    const { upstream, planner } = this.#options;
    if (this.#isListDue(now)) await this.#send(LIST_ID);
    const first = this.#firstSource(now);
    if (first !== undefined) await this.#send(first);
    const tried = new Set<string>();
    const canRefresh = (id: string): boolean => !tried.has(id) && !upstream.gate.refusal(id, now);
    while (tried.size < MAX_PER_TICK) {
      const subject = planner.next(now, upstream.budget, canRefresh);
      if (subject === undefined) return;
      tried.add(subject);
      await this.#send(subject);
    }
  }

  /**
   * Stores a pulse, or that there is none, which came at `receivedAt`. Returns false where it may not be stored: it answers a
   * key that has been replaced.
   */
  storePulse(sourceId: string, pulse: ReadPulse | null, info: AnswerInfo, receivedAt: number): boolean {
    const { store, account } = this.#options;
    if (!account.accepts(info.owner)) return false;
    this.#succeeded(sourceId, receivedAt, store.storeAnswer(sourceId, pulse, info));
    return true;
  }

  /** The same for the list. */
  storeList(list: SourceRows, info: AnswerInfo, receivedAt: number): boolean {
    const { store, account } = this.#options;
    if (!account.accepts(info.owner)) return false;
    this.#succeeded(LIST_ID, receivedAt, store.storeList(list, info));
    return true;
  }

  /** Resolves when the call is sent, or when it is certain that none will be. */
  #send(subject: string): Promise<void> {
    return this.join(subject, { isUserFacing: false }).flight.sent;
  }

  #isListDue(now: number): boolean {
    const { store, upstream } = this.#options;
    const { list } = store;
    const { gate } = upstream;
    if (upstream.refusal(LIST_ID)) return false;
    // The list is the trial call to a failed host: no reader waits for it.
    if (!list || gate.hosts.allHostsDown()) return true;
    // After a failed call it shows whether the host failed or the source alone.
    const isCallFailed = !gate.hosts.isHealthy(now) || gate.lastFailure(LIST_ID, now) !== undefined;
    return now - list.requestedAt >= (isCallFailed ? LIST_AFTER_FAILURE_MS : LIST_AGE_MS);
  }

  /** A source to begin with where the list cannot be had: without it no reader might ever be sent here. */
  #firstSource(now: number): string | undefined {
    const { store, upstream } = this.#options;
    const hasNothing = store.newestPulseAt === undefined && !store.list;
    if (!hasNothing || !upstream.gate.lastFailure(LIST_ID, now)) return undefined;
    for (const id of store.ids.all) return upstream.refusal(id) ? undefined : id;
    return undefined;
  }

  async #fetchPulse(sourceId: string, context: FlightContext): Promise<RefreshResult> {
    const { upstream, planner, clock } = this.#options;
    const demand = () => planner.explain(sourceId, clock.now())?.viewsPerMinute ?? 0;
    const result = await upstream.fetch(pulseOperation(sourceId), this.#requestOf(sourceId, demand, context));
    if (!result.ok) return this.#failed(sourceId, result);
    if (!this.storePulse(sourceId, result.value, result, clock.now())) return this.#failed(sourceId, KEY_CHANGED);
    this.peers?.publishPulse(sourceId, result);
    return { ok: true };
  }

  async #fetchList(context: FlightContext): Promise<RefreshResult> {
    const { upstream, clock } = this.#options;
    // No reader can be served before there is a list.
    const result = await upstream.fetch(
      listOperation,
      this.#requestOf(LIST_ID, () => Infinity, context),
    );
    if (!result.ok) return this.#failed(LIST_ID, result);
    if (!this.storeList(result.value, result, clock.now())) return this.#failed(LIST_ID, KEY_CHANGED);
    this.peers?.publishList();
    return { ok: true };
  }

  #requestOf(subject: string, demand: () => number, { onSent, isUserFacing }: FlightContext): FetchRequest {
    return {
      isUserFacing,
      demand,
      seenFencingToken: () => this.peers?.seenFencingToken(subject),
      onSent: (now) => {
        this.#options.planner.recordAttempt(subject, now);
        onSent();
      },
    };
  }

  #succeeded(subject: string, receivedAt: number, changed: boolean): void {
    const { upstream, planner } = this.#options;
    upstream.gate.recordSuccess(subject);
    planner.recordRefresh(subject, receivedAt, { changed });
  }

  #failed(subject: string, failure: Failure): Failure {
    if (!failure.attempted) return failure;
    const { upstream, planner, clock } = this.#options;
    const now = clock.now();
    planner.recordFailure(subject, now);
    const retryInMs = upstream.gate.recordFailure(subject, failure, now);
    this.peers?.publishFailure(subject, failure, retryInMs);
    return { ...failure, retryInMs };
  }
}
