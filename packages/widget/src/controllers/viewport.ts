import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { page } from './page.ts';
import { SharedObserver } from './shared-observer.ts';

/** The distance at which loading starts, so that the chart is visible in time. `scrollMargin` applies to scrollable panes. */
const NEAR: IntersectionObserverInit & { scrollMargin: string } = { rootMargin: '200px', scrollMargin: '200px' };

const observer = new SharedObserver<IntersectionObserverEntry>(
  (onEntries) => globalThis.IntersectionObserver && new IntersectionObserver(onEntries, NEAR),
);

/** The options that decide when an element is near the viewport. */
export interface ViewportOptions {
  /**
   * `lazy` waits until the element is near, `eager` doesn't wait, and `click` waits until the reader or the page asks.
   */
  readonly loading: () => 'lazy' | 'eager' | 'click';
}

/** Tracks whether its host is near the viewport. When the page is printed, every host is near. */
export class ViewportController implements ReactiveController {
  /** Whether the host has been near the viewport, or someone has asked for its content. */
  isNear = false;
  /** Whether the host is near the viewport now. */
  isVisible = false;
  readonly #host: ReactiveControllerHost & Element;
  readonly #options: ViewportOptions;

  constructor(host: ReactiveControllerHost & Element, options: ViewportOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostConnected(): void {
    observer.observe(this.#host, this.#onVisibility);
  }

  hostDisconnected(): void {
    observer.unobserve(this.#host);
    this.isVisible = false;
  }

  /** Treats the host as near from now on. */
  enter(): void {
    this.isNear = true;
    this.#host.requestUpdate();
  }

  /** Marks the host as near if its loading doesn't have to wait. */
  check(): void {
    const loading = this.#options.loading();
    if (loading === 'click') return;
    this.isNear ||= this.isVisible || page.isPrinting || loading === 'eager' || !globalThis.IntersectionObserver;
  }

  readonly #onVisibility = ({ isIntersecting }: IntersectionObserverEntry): void => {
    this.isVisible = isIntersecting;
    if (!isIntersecting || this.isNear) return;
    this.check();
    this.#host.requestUpdate();
  };
}
