import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { SharedObserver } from './shared-observer.ts';

const observer = new SharedObserver<ResizeObserverEntry>(
  (onEntries) =>
    // Calls back in a later task. If the callback changed a size in the same task, the browser would report a loop.
    globalThis.ResizeObserver && new ResizeObserver((entries) => setTimeout(() => onEntries(entries))),
);

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
    observer.observe(this.#host, this.#onResize);
  }

  hostDisconnected(): void {
    observer.unobserve(this.#host);
  }
}
