/** A call under way, which all who want the same thing share. */
export interface Flight<Landed> {
  readonly startedAt: number;
  /** Resolves when its first call leaves, or when it is plain that none will. */
  readonly left: Promise<void>;
  readonly landed: Promise<Landed>;
}

/** A flight, and whether it was begun just now. */
export interface Joined<Landed> {
  readonly flight: Flight<Landed>;
  readonly isNew: boolean;
}

/** Calls under way, by what they are about: never two about one thing. */
export class Flights<Landed> {
  readonly #flights = new Map<string, Flight<Landed>>();

  get(subject: string): Flight<Landed> | undefined {
    return this.#flights.get(subject);
  }

  /**
   * The flight about `subject`, begun by `launch` where there is none. `launch` must never reject; it calls `leaves` when
   * its call leaves.
   */
  join(subject: string, now: number, launch: (leaves: () => void) => Promise<Landed>): Joined<Landed> {
    const under = this.#flights.get(subject);
    if (under) return { flight: under, isNew: false };
    const { promise: left, resolve: leaves } = Promise.withResolvers<void>();
    const landed = launch(leaves).finally(() => {
      this.#flights.delete(subject);
      leaves();
    });
    const flight = { startedAt: now, left, landed };
    this.#flights.set(subject, flight);
    return { flight, isNew: true };
  }

  /** Resolves when none is under way any more. */
  async allLanded(): Promise<void> {
    await Promise.all(Array.from(this.#flights.values(), ({ landed }) => landed));
  }

  get size(): number {
    return this.#flights.size;
  }
}
