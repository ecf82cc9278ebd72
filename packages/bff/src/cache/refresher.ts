import { type Failure, KEY_CHANGED, notAttempted } from '../upstream/failure.ts';
import { LIST_ID } from '../upstream/subject.ts';
import type { CacheParts } from './cache-parts.ts';
import { Flight, refreshed, type RefreshResult } from './flight.ts';
import type { Peers } from './peers.ts';

/** The failure of a refresh that ended with an unexpected error. */
const FAULT = notAttempted('internal', 'fault', 5_000);

export interface RefresherOptions extends CacheParts {
  /** The other instances. @default this is the only instance */
  readonly peers?: Peers | undefined;
  /** Receives unexpected errors. */
  readonly onFault: (fault: unknown) => void;
}

/**
 * Refreshes sources and the list, and stores the answers. Across all instances, at most one call per subject is made at
 * a time.
 */
export class Refresher {
  readonly #options: RefresherOptions;
  readonly #flights = new Map<string, Flight>();

  constructor(options: RefresherOptions) {
    this.#options = options;
  }

  get callsInFlight(): number {
    return this.#flights.size;
  }

  /** The current refresh of a subject. */
  flightOf(subject: string): Flight | undefined {
    return this.#flights.get(subject);
  }

  /**
   * Returns the current refresh of a subject, or starts one. `isAwaited`: whether a reader without a cached answer
   * waits for the refresh.
   */
  join(subject: string, { isAwaited }: { readonly isAwaited: boolean }): { flight: Flight; isNew: boolean } {
    const existing = this.#flights.get(subject);
    const flight = existing ?? new Flight(subject, this.#options.clock.now());
    flight.isAwaited ||= isAwaited;
    flight.demand = this.#demandFor(subject);
    if (!existing) this.#begin(flight);
    return { flight, isNew: !existing };
  }

  /** Resolves when no call is in flight. */
  async allSettled(): Promise<void> {
    await Promise.all(Array.from(this.#flights.values(), ({ result }) => result));
  }

  /** The list has the highest demand, because no reader can be served without it. */
  #demandFor(subject: string): number {
    const { planner, clock } = this.#options;
    return subject === LIST_ID ? Infinity : (planner.explain(subject, clock.now())?.viewsPerMinute ?? 0);
  }

  #begin(flight: Flight): void {
    const { planner, onFault, peers } = this.#options;
    const { subject } = flight;
    this.#flights.set(subject, flight);
    void flight.sent.then((at) => at !== undefined && planner.recordAttempt(subject, at));
    const fetch = () => this.#fetch(flight);
    void (peers ? peers.fetchOnce(flight, fetch) : fetch())
      .catch((fault: unknown) => {
        onFault(fault);
        return FAULT;
      })
      .then((result) => {
        this.#flights.delete(subject);
        flight.end(result);
      });
  }

  async #fetch(flight: Flight): Promise<RefreshResult> {
    const { upstream, account, entries, peers } = this.#options;
    const { subject } = flight;
    const result = await upstream.fetch(flight);
    if (!result.ok) return result.attempted ? this.#failed(subject, result) : result;
    const isAbsence = result.value === null;
    if (!account.bindTo(result.owner, { isAbsence }))
      return this.#failed(subject, upstream.recordFailure(subject, KEY_CHANGED));
    const entry = entries.store(subject, result);
    peers?.publish(subject, result);
    return refreshed(entry);
  }

  #failed(subject: string, failure: Failure): Failure {
    const { planner, clock, peers } = this.#options;
    planner.recordFailure(subject, clock.now());
    peers?.publishFailure(subject, failure);
    return failure;
  }
}
