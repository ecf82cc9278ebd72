import type { Clock } from '../clock.ts';

export interface ConcurrencyLimits {
  /** Tasks that run at once. */
  readonly maxRunning: number;
  /** Tasks that wait for their turn. */
  readonly maxWaiting: number;
  /** How long a task waits at most, in ms. */
  readonly maxWaitMs: number;
}

type Waiter = (isTurn: boolean) => void;

/** Runs so many tasks at once; others wait for their turn, bounded in number and time. */
export class ConcurrencyLimiter {
  readonly #limits: ConcurrencyLimits;
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();
  #running = 0;

  constructor(limits: ConcurrencyLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Runs `task` in its turn; resolves to undefined where no turn comes in time. */
  async run<Value>(task: () => Promise<Value>): Promise<Value | undefined> {
    if (this.#running < this.#limits.maxRunning) this.#running += 1;
    else if (!(await this.#turn())) return undefined;
    try {
      return await task();
    } finally {
      this.#endTurn();
    }
  }

  /** Resolves to whether a turn has come. */
  #turn(): Promise<boolean> {
    const { maxWaiting, maxWaitMs } = this.#limits;
    if (this.#waiters.size >= maxWaiting) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiter: Waiter = (isTurn) => {
        cancel();
        this.#waiters.delete(waiter);
        resolve(isTurn);
      };
      const cancel = this.#clock.schedule(maxWaitMs, () => waiter(false));
      this.#waiters.add(waiter);
    });
  }

  /** Hands the turn to whoever has waited longest. */
  #endTurn(): void {
    const [next] = this.#waiters;
    if (next === undefined) this.#running -= 1;
    else next(true);
  }
}
