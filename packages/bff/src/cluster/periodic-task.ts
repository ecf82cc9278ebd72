import type { Clock } from '../clock.ts';

/** Does something again and again, never twice at once. */
export class PeriodicTask {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #run: () => Promise<void>;
  #running: Promise<void> | undefined;
  #cancel = (): void => {};
  #isStopped = false;
  #isWantedSoon = false;

  /** `run` must never reject. */
  constructor(clock: Clock, everyMs: number, run: () => Promise<void>) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#run = run;
  }

  /** Does it now, and from then on every so many ms; resolves after the first time. */
  async start(): Promise<void> {
    await this.#now();
  }

  /** Does it at once, beside its turn. */
  soon(): void {
    if (this.#running) this.#isWantedSoon = true;
    else this.#in(0);
  }

  /** Ends it; resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#running;
  }

  #in(ms: number): void {
    this.#cancel();
    if (!this.#isStopped) this.#cancel = this.#clock.schedule(ms, () => void this.#now());
  }

  #now(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      this.#in(this.#isWantedSoon ? 0 : this.#everyMs);
      this.#isWantedSoon = false;
    });
    return this.#running;
  }
}
