/** Deliveries in one go: a few milliseconds, then other work has a turn. */
const BATCH_SIZE = 500;

/** Runs many deliveries in batches, in order, without blocking the event loop. */
export class FanOut {
  readonly #waiting: Iterator<void>[] = [];
  readonly #onFault: (fault: unknown) => void;

  /** `onFault` is called with what a delivery throws; the others go on. */
  constructor(onFault: (fault: unknown) => void = () => {}) {
    this.#onFault = onFault;
  }

  /** Runs `deliveries`; the first batch at once, where nothing else is queued. */
  add(deliveries: readonly (() => void)[]): void {
    this.#waiting.push(inTurns(deliveries, this.#onFault));
    if (this.#waiting.length === 1) this.#goOn();
  }

  #goOn(): void {
    if (this.#waiting[0]?.next().done === true) this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(() => this.#goOn());
  }
}

function* inTurns(deliveries: readonly (() => void)[], onFault: (fault: unknown) => void): Generator<void> {
  for (const [at, send] of deliveries.entries()) {
    if (at > 0 && at % BATCH_SIZE === 0) yield;
    try {
      send();
    } catch (fault) {
      onFault(fault);
    }
  }
}
