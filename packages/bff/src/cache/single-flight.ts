import type { Clock } from '../clock.ts';

/** How long a reader with a stale answer waits for a fresh one. */
export const USER_WAIT_MS = 500;

/** A call in flight that all requests for the same subject share. */
export interface Flight<Result> {
  readonly startedAt: number;
  /** Resolves when the call is sent, or when it is certain that none will be. */
  readonly sent: Promise<void>;
  readonly result: Promise<Result>;
}

/** What the function that makes the call gets. */
export interface FlightContext {
  /** To be called when the call is sent. */
  readonly onSent: () => void;
  /** Whether a reader with no cached answer waits for this flight by now. */
  readonly isUserFacing: () => boolean;
}

/** A flight, and whether this request started it. */
export interface JoinedFlight<Result> {
  readonly flight: Flight<Result>;
  readonly isNew: boolean;
}

/** Calls in flight by subject: never two on one subject. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Flight<Result> & { isUserFacing: boolean }>();
  readonly #recover: (fault: unknown) => Result;

  /** `recover` turns an unexpected error into the result of the flight. */
  constructor(recover: (fault: unknown) => Result) {
    this.#recover = recover;
  }

  get(subject: string): Flight<Result> | undefined {
    return this.#flights.get(subject);
  }

  /**
   * Joins the flight on `subject`, or starts one. A user-facing request makes the flight user-facing.
   */
  join(
    subject: string,
    { now, isUserFacing = false }: { readonly now: number; readonly isUserFacing?: boolean },
    start: (flightContext: FlightContext) => Promise<Result>,
  ): JoinedFlight<Result> {
    const existing = this.#flights.get(subject);
    if (existing) {
      existing.isUserFacing ||= isUserFacing;
      return { flight: existing, isNew: false };
    }
    const { promise: sent, resolve: onSent } = Promise.withResolvers<void>();
    const { promise: result, resolve } = Promise.withResolvers<Result>();
    const flight = { startedAt: now, sent, result, isUserFacing };
    this.#flights.set(subject, flight);
    void start({ onSent, isUserFacing: () => flight.isUserFacing })
      .catch((fault: unknown) => this.#recover(fault))
      .then((result) => {
        this.#flights.delete(subject);
        onSent();
        resolve(result);
      });
    return { flight, isNew: true };
  }

  /** Resolves when no call is in flight. */
  async allSettled(): Promise<void> {
    await Promise.all(Array.from(this.#flights.values(), ({ result }) => result));
  }

  get size(): number {
    return this.#flights.size;
  }
}

/**
 * The result of a flight, or undefined after a timeout: `USER_WAIT_MS` from the start of the flight for a reader with a
 * stale answer, the upstream's deadline for one with none.
 */
export function withTimeout<Result>(
  { startedAt, result }: Flight<Result>,
  { clock, upstreamTimeoutMs }: { clock: Clock; upstreamTimeoutMs: number },
  fwd: 'miss' | 'stale' = 'miss',
): Promise<Result | undefined> {
  const limitMs = fwd === 'miss' ? upstreamTimeoutMs : Math.max(0, startedAt + USER_WAIT_MS - clock.now());
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(limitMs, () => resolve(undefined));
    result.then(resolve, reject).finally(cancel);
  });
}
