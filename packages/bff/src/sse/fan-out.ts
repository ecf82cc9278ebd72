/** Readers who are told in one go: a few milliseconds, after which whoever else waits has a turn. */
const BATCH_SIZE = 500;

/** Tells many readers of something: some at a time, one piece of news after the other, in order. */
export class FanOut {
  readonly #waiting: Iterator<void>[] = [];
  readonly #onFault: (fault: unknown) => void;

  /** `onFault` hears of what a telling throws; the others go on. */
  constructor(onFault: (fault: unknown) => void = () => {}) {
    this.#onFault = onFault;
  }

  /** Calls each of `deliveries`; the first few at once, where nothing else is being told. */
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
