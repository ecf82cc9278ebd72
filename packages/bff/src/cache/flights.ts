/** A call under way, which all who want the same thing share. */
export interface Flight<Landed> {
  readonly startedAt: number;
  /** Resolves when its first call leaves, or when it is plain that none will. */
  readonly left: Promise<void>;
  readonly landed: Promise<Landed>;
}

/** What a flight is told, and tells, while it is under way. */
export interface Aboard {
  /** To be called when the call leaves. */
  readonly leaves: () => void;
  /** Whether, by now, a reader has nothing else than what this flight will bring. */
  readonly readerWaits: () => boolean;
}

/** A flight, and whether it was begun just now. */
export interface Joined<Landed> {
  readonly flight: Flight<Landed>;
  readonly isNew: boolean;
}

/** Calls under way, by what they are about: never two about one thing. */
export class Flights<Landed> {
  readonly #flights = new Map<string, Flight<Landed> & { readerWaits: boolean }>();
  readonly #recover: (fault: unknown) => Landed;

  /** `recover` makes of a fault inside what those who wait are told. */
  constructor(recover: (fault: unknown) => Landed) {
    this.#recover = recover;
  }

  get(subject: string): Flight<Landed> | undefined {
    return this.#flights.get(subject);
  }

  /**
   * The flight about `subject`, begun by `launch` where there is none; a reader who waits makes one that was begun by plan
   * worth waiting for.
   */
  join(
    subject: string,
    { now, readerWaits = false }: { readonly now: number; readonly readerWaits?: boolean },
    launch: (aboard: Aboard) => Promise<Landed>,
  ): Joined<Landed> {
    const under = this.#flights.get(subject);
    if (under) {
      under.readerWaits ||= readerWaits;
      return { flight: under, isNew: false };
    }
    const { promise: left, resolve: leaves } = Promise.withResolvers<void>();
    const { promise: landed, resolve: lands } = Promise.withResolvers<Landed>();
    const flight = { startedAt: now, left, landed, readerWaits };
    this.#flights.set(subject, flight);
    void launch({ leaves, readerWaits: () => flight.readerWaits })
      .catch((fault: unknown) => this.#recover(fault))
      .then((result) => {
        this.#flights.delete(subject);
        leaves();
        lands(result);
      });
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
