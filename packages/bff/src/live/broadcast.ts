/** Readers who are told in one go: a few milliseconds, after which whoever else waits has a turn. */
const AT_A_TIME = 500;

/** Tells many readers of something: some at a time, one piece of news after the other, in order. */
export class Broadcast {
  readonly #waiting: Iterator<void>[] = [];
  readonly #onFault: (fault: unknown) => void;

  /** `onFault` hears of what a telling throws; the others go on. */
  constructor(onFault: (fault: unknown) => void = () => {}) {
    this.#onFault = onFault;
  }

  /** Calls each of `tellings`; the first few at once, where nothing else is being told. */
  add(tellings: readonly (() => void)[]): void {
    this.#waiting.push(inTurns(tellings, this.#onFault));
    if (this.#waiting.length === 1) this.#goOn();
  }

  #goOn(): void {
    if (this.#waiting[0]?.next().done === true) this.#waiting.shift();
    if (this.#waiting.length > 0) setImmediate(() => this.#goOn());
  }
}

function* inTurns(tellings: readonly (() => void)[], onFault: (fault: unknown) => void): Generator<void> {
  for (const [at, tell] of tellings.entries()) {
    if (at > 0 && at % AT_A_TIME === 0) yield;
    try {
      tell();
    } catch (fault) {
      onFault(fault);
    }
  }
}
