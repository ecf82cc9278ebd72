/** The members of `IntersectionObserver` and `ResizeObserver` that `SharedObserver` uses. */
interface ElementObserver {
  observe(element: Element): void;
  unobserve(element: Element): void;
}

/** One observer for all elements on the page. */
export class SharedObserver<Entry extends { readonly target: Element }> {
  readonly #create: (onEntries: (entries: readonly Entry[]) => void) => ElementObserver | undefined;
  readonly #listeners = new WeakMap<Element, (entry: Entry) => void>();
  #observer: ElementObserver | undefined;

  /**
   * `create` is called for the first element. In the simulated DOMs of test runners, which don't have observers,
   * `create` returns undefined.
   */
  constructor(create: (onEntries: (entries: readonly Entry[]) => void) => ElementObserver | undefined) {
    this.#create = create;
  }

  observe(element: Element, listener: (entry: Entry) => void): void {
    this.#listeners.set(element, listener);
    this.#observer ??= this.#create((entries) => {
      for (const entry of entries) this.#listeners.get(entry.target)?.(entry);
    });
    this.#observer?.observe(element);
  }

  unobserve(element: Element): void {
    this.#observer?.unobserve(element);
  }
}
