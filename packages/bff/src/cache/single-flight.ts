import type { Clock } from '../clock.ts';
/** A call under way, which all who want the same thing share. */
export interface Flight<Result> {
  readonly startedAt: number;
  /** Resolves when its first call leaves, or when it is plain that none will. */
  readonly sent: Promise<void>;
  readonly result: Promise<Result>;
}

/** What a flight is told, and tells, while it is under way. */
export interface FlightContext {
  /** To be called when the call leaves. */
  readonly onSent: () => void;
  /** Whether, by now, a reader has nothing else than what this flight will bring. */
  readonly isUserFacing: () => boolean;
}

/** A flight, and whether it was begun just now. */
export interface Joined<Result> {
  readonly flight: Flight<Result>;
  readonly isNew: boolean;
}

/** Calls under way, by what they are about: never two about one thing. */
export class SingleFlight<Result> {
  readonly #flights = new Map<string, Flight<Result> & { isUserFacing: boolean }>();
  readonly #recover: (fault: unknown) => Result;

  /** `recover` makes of a fault inside what those who wait are told. */
  constructor(recover: (fault: unknown) => Result) {
    this.#recover = recover;
  }

  get(subject: string): Flight<Result> | undefined {
    return this.#flights.get(subject);
  }

  /**
   * The flight about `subject`, begun by `launch` where there is none; a reader who waits makes one that was begun by plan
   * worth waiting for.
   */
  join(
    subject: string,
    { now, isUserFacing = false }: { readonly now: number; readonly isUserFacing?: boolean },
    start: (flightContext: FlightContext) => Promise<Result>,
  ): Joined<Result> {
    const under = this.#flights.get(subject);
    if (under) {
      under.isUserFacing ||= isUserFacing;
      return { flight: under, isNew: false };
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

  /** Resolves when none is under way any more. */
  async allSettled(): Promise<void> {
    await Promise.all(Array.from(this.#flights.values(), ({ result }) => result));
  }

  get size(): number {
    return this.#flights.size;
  }
}

/** The longest that a reader who could be served a stale answer waits for a fresh one. */
export const USER_WAIT_MS = 500;

/**
 * What a flight brings, or undefined where it is not there in time: half a second from its start for a reader who has
 * something `stale` to read, the upstream's deadline for one who has not. Leaves no timer behind.
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
