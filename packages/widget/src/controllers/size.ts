import type { ReactiveController, ReactiveControllerHost } from 'lit';

const listeners = new WeakMap<Element, () => void>();
let sharedObserver: ResizeObserver | undefined;

/** One observer serves all elements; there is none in the DOMs of test runners. */
function observer(): ResizeObserver | undefined {
  if (!globalThis.ResizeObserver) return undefined;
  return (sharedObserver ??= new ResizeObserver((entries) => {
    // What changed in the same task would make the browser report a loop.
    setTimeout(() => entries.forEach(({ target }) => listeners.get(target)?.()));
  }));
}

/** Calls back when the size of its host has changed. */
export class SizeController implements ReactiveController {
  readonly #host: ReactiveControllerHost & Element;
  readonly #onResize: () => void;

  constructor(host: ReactiveControllerHost & Element, onResize: () => void) {
    this.#host = host;
    this.#onResize = onResize;
    host.addController(this);
  }

  hostConnected(): void {
    listeners.set(this.#host, this.#onResize);
    observer()?.observe(this.#host);
  }

  hostDisconnected(): void {
    observer()?.unobserve(this.#host);
  }
}
