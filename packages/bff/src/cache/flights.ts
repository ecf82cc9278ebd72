/** A call under way, which all who want the same thing share. */
export interface Flight<Landed> {
  readonly startedAt: number;
  readonly landed: Promise<Landed>;
}

/** Calls under way, by what they are about: never two about one thing. */
export class Flights<Landed> {
  readonly #flights = new Map<string, Flight<Landed>>();

  get(subject: string): Flight<Landed> | undefined {
    return this.#flights.get(subject);
  }

  /** The flight about `subject`, begun by `launch` where there is none. `launch` must never reject. */
  join(subject: string, now: number, launch: () => Promise<Landed>): { flight: Flight<Landed>; isNew: boolean } {
    const under = this.#flights.get(subject);
    if (under) return { flight: under, isNew: false };
    const flight = { startedAt: now, landed: launch().finally(() => this.#flights.delete(subject)) };
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
