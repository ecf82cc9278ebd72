import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { page } from './page.ts';

/** Far enough ahead that the chart is there when the reader is. */
const NEAR: IntersectionObserverInit = { rootMargin: '200px' };

/** An element that waits until it is near the viewport. */
export interface ViewportHost extends ReactiveControllerHost, Element {
  readonly loading: 'lazy' | 'eager';
}

/** Notices when its host comes near the viewport; for paper, everything is near. */
export class ViewportController implements ReactiveController {
  /** True from the first time on. */
  isNear = false;
  readonly #host: ViewportHost;
  #observer: IntersectionObserver | undefined;

  constructor(host: ViewportHost) {
    this.#host = host;
    host.addController(this);
  }

  hostUpdated(): void {
    this.check();
  }

  /** Begins to look where the host is, unless that is known. */
  check(): void {
    this.isNear ||= this.#host.loading === 'eager' || page.isPrinting;
    if (this.isNear) this.hostDisconnected();
    else this.#observer ??= this.#observe();
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
    this.#observer = undefined;
  }

  #observe(): IntersectionObserver {
    const observer = new IntersectionObserver((entries) => {
      this.isNear = entries.some(({ isIntersecting }) => isIntersecting);
      this.#host.requestUpdate();
    }, NEAR);
    observer.observe(this.#host);
    return observer;
  }
}
