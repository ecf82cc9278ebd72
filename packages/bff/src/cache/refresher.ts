import type { Clock } from '../lib/clock.ts';
import { LIST_ID, type RefreshPlanner } from '../planner/refresh-planner.ts';
import { type Failure, notAttempted } from '../upstream/gate.ts';
import type { Content } from '../upstream/response.ts';
import { type Answer, type FetchRequest, KEY_CHANGED, type Upstream } from '../upstream/upstream.ts';
import type { AccountGuard } from './account-guard.ts';
import type { Entries } from './entries.ts';
import { type ExposedFields, exposedPart } from './exposed-fields.ts';
import { Peers, type RefreshResult, type SharedCache } from './peers.ts';

/** The age at which the list is refreshed, regardless of what readers request. */
const LIST_AGE_MS = 120_000;

/** The age at which the list is refreshed after a failed call. */
const LIST_AFTER_FAILURE_MS = 15_000;

/** The most refreshes that one tick starts. */
const MAX_PER_TICK = 50;

/** An unexpected error ended the refresh. */
const FAULT = notAttempted('internal', 'fault', 5_000);

/** A refresh under way, which all requests for its subject share. */
export interface Flight {
  readonly startedAt: number;
  /** Whether a reader with no cached answer waits for it. */
  readonly isUserFacing: boolean;
  /** Resolves when the call is sent, or when it is certain that none will be. */
  readonly sent: Promise<void>;
  readonly result: Promise<RefreshResult>;
}

export interface RefresherOptions {
  readonly upstream: Upstream;
  readonly entries: Entries;
  readonly account: AccountGuard;
  readonly planner: RefreshPlanner;
  readonly clock: Clock;
  /** How old an answer of another instance may be, in ms. */
  readonly freshForMs: number;
  /** The cache that this instance shares with others. @default this is the only one */
  readonly shared?: SharedCache | undefined;
  /** The fields that readers get; no other is kept. */
  readonly exposed: ExposedFields;
  /** Receives unexpected errors. */
  readonly onFault: (fault: unknown) => void;
}

/** Refreshes sources and the list, one call at a time on each subject over all instances, and stores what the calls bring. */
export class Refresher {
  readonly #options: RefresherOptions;
  readonly #peers: Peers | undefined;
  readonly #flights = new Map<string, Flight & { isUserFacing: boolean }>();

  constructor(options: RefresherOptions) {
    const { upstream, entries, account, clock, freshForMs, shared } = options;
    this.#options = options;
    if (!shared) return;
    this.#peers = new Peers({
      shared,
      entries,
      account,
      gate: upstream.gate,
      clock,
      freshForMs,
      callMs: upstream.timeoutMs,
      store: (subject, answer) => this.store(subject, answer),
    });
  }

  /** Takes over what other instances have stored, and requests the list. */
  async start(): Promise<void> {
    await this.#peers?.start();
    this.join(LIST_ID, { isUserFacing: true });
  }

  get callsInFlight(): number {
    return this.#flights.size;
  }

  /** The refresh of a subject that is under way. */
  flightOf(subject: string): Flight | undefined {
    return this.#flights.get(subject);
  }

  /** The refresh of a source, or of the list for `LIST_ID`: the one that is under way, or a new one. */
  join(subject: string, { isUserFacing }: { readonly isUserFacing: boolean }): { flight: Flight; isNew: boolean } {
    const existing = this.#flights.get(subject);
    if (existing) {
      existing.isUserFacing ||= isUserFacing;
      return { flight: existing, isNew: false };
    }
    const { promise: sent, resolve: onSent } = Promise.withResolvers<void>();
    const { promise: result, resolve } = Promise.withResolvers<RefreshResult>();
    const flight = { startedAt: this.#options.clock.now(), isUserFacing, sent, result };
    this.#flights.set(subject, flight);
    void this.#refresh(subject, flight, onSent)
      .catch((fault: unknown) => {
        this.#options.onFault(fault);
        return FAULT;
      })
      .then((outcome) => {
        this.#flights.delete(subject);
        onSent();
        resolve(outcome);
      });
    return { flight, isNew: true };
  }

  /** Resolves when no call is in flight. */
  async allSettled(): Promise<void> {
    await Promise.all(Array.from(this.#flights.values(), ({ result }) => result));
  }

  /** Starts the refreshes that no reader waits for: of the list when it is due, of sources as the planner says. */
  async tick(now: number): Promise<void> {
    const { upstream, planner } = this.#options;
    const isListFirst = upstream.gate.isListNext;
    if (isListFirst && this.#isListDue(now)) await this.#start(LIST_ID);
    const first = this.#firstSource(now);
    if (first !== undefined) await this.#start(first);
    const tried = new Set<string>();
    const canRefresh = (id: string): boolean => !tried.has(id) && !upstream.gate.refusal(id, now);
    while (tried.size < MAX_PER_TICK) {
      const subject = planner.next(now, upstream.budget, canRefresh);
      if (subject === undefined) break;
      tried.add(subject);
      await this.#start(subject);
    }
    if (!isListFirst && this.#isListDue(now)) await this.#start(LIST_ID);
  }

  /** Stores an answer about a source or the list. */
  store(subject: string, given: Answer<Content>): void {
    const { entries, upstream, planner, exposed } = this.#options;
    const answer = { ...given, value: exposedPart(given.value, exposed) };
    const changed = entries.store(subject, answer);
    upstream.gate.recordSuccess(subject);
    planner.recordRefresh(subject, answer.requestedAt, { changed });
  }

  /** Starts a refresh; resolves when its call is sent, or when it is certain that none will be. */
  #start(subject: string): Promise<void> {
    return this.join(subject, { isUserFacing: false }).flight.sent;
  }

  #isListDue(now: number): boolean {
    const { entries, upstream } = this.#options;
    const { list } = entries;
    const { gate } = upstream;
    if (upstream.refusal(LIST_ID)) return false;
    // The list is the trial call to a failed host: no reader waits for it.
    if (!list || gate.hosts.allHostsDown()) return true;
    // After a failed call it shows whether the host failed or only the source.
    const isCallFailed = !gate.hosts.isHealthy(now) || gate.lastFailure(LIST_ID, now) !== undefined;
    return now - list.requestedAt >= (isCallFailed ? LIST_AFTER_FAILURE_MS : LIST_AGE_MS);
  }

  /** The source to begin with while there is no list: without an answer the instance never becomes ready. */
  #firstSource(now: number): string | undefined {
    const { entries, upstream } = this.#options;
    const hasNothing = entries.newestPulseAt === undefined && !entries.list;
    if (!hasNothing || !upstream.gate.lastFailure(LIST_ID, now)) return undefined;
    const [id] = entries.ids.all;
    return id === undefined || upstream.refusal(id) ? undefined : id;
  }

  #refresh(subject: string, flight: Flight, onSent: () => void): Promise<RefreshResult> {
    const { planner, clock } = this.#options;
    const request: FetchRequest = {
      isUserFacing: () => flight.isUserFacing,
      // No reader can be served before there is a list.
      demand: () => (subject === LIST_ID ? Infinity : (planner.explain(subject, clock.now())?.viewsPerMinute ?? 0)),
      seenFencingToken: () => this.#peers?.seenFencingToken(subject),
      onSent: (now) => {
        planner.recordAttempt(subject, now);
        onSent();
      },
    };
    const fetch = () => this.#fetch(subject, request);
    return this.#peers ? this.#peers.fetchOnce(subject, fetch, onSent) : fetch();
  }

  async #fetch(subject: string, request: FetchRequest): Promise<RefreshResult> {
    const { upstream, account } = this.#options;
    const result = await upstream.fetch(subject, request);
    if (!result.ok) return this.#failed(subject, result);
    if (!account.accepts(result.owner)) return this.#failed(subject, KEY_CHANGED);
    this.store(subject, result);
    this.#peers?.publish(subject, result);
    return { ok: true };
  }

  #failed(subject: string, failure: Failure): Failure {
    if (!failure.attempted) return failure;
    const { upstream, planner, clock } = this.#options;
    const now = clock.now();
    planner.recordFailure(subject, now);
    const recorded = { ...failure, retryInMs: upstream.gate.recordFailure(subject, failure, now) };
    this.#peers?.publishFailure(subject, recorded);
    return recorded;
  }
}
