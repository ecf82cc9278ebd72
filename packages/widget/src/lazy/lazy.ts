/** A value that is loaded when it is first needed. */
export class Lazy<Value> {
  /** The value, once it has loaded. */
  value: Value | undefined;
  readonly #load: (attempt: number) => Promise<Value>;
  readonly #onLoad: ((value: Value) => void) | undefined;
  #attempt = 0;
  /** In milliseconds since the Unix epoch. */
  #failedAt = -Infinity;
  #loading: Promise<Value | undefined> | undefined;

  /** `load` receives the number of failed attempts. `onLoad` is called once, when the value is available. */
  constructor(load: (attempt: number) => Promise<Value>, onLoad?: (value: Value) => void) {
    this.#load = load;
    this.#onLoad = onLoad;
  }

  /**
   * Loads the value. If that fails, resolves to undefined. The next call tries again, unless the failure was less than
   * `waitMs` ago.
   */
  load(waitMs = 0): Promise<Value | undefined> {
    if (Date.now() < this.#failedAt + waitMs) return Promise.resolve(undefined);
    return (this.#loading ??= this.#load(this.#attempt).then(
      (value) => {
        this.value = value;
        this.#onLoad?.(value);
        return value;
      },
      () => {
        this.#attempt++;
        this.#loading = undefined;
        this.#failedAt = Date.now();
        return undefined;
      },
    ));
  }
}
