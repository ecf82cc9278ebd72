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
  /** The host that the reader consents to. */
  readonly host: () => string;
}

/** Tracks whether its host is near the viewport. When the page is printed, every host is near. */
export class ViewportController implements ReactiveController {
  #wasNear = false;
  /** The host that the reader has asked for content from. */
  #askedHost: string | undefined;
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

  /** Whether the element has been near the viewport. With `click`, whether someone has asked for its content. */
  get isNear(): boolean {
    const { loading, host } = this.#options;
    return loading() === 'click' ? this.#askedHost === host() : this.#wasNear;
  }

  /** Treats the element as near from now on, as long as its content comes from the same host. */
  enter(): void {
    this.#wasNear = true;
    this.#askedHost = this.#options.host();
    this.#host.requestUpdate();
  }

  /** Forgets that someone has asked for the content. */
  leave(): void {
    this.#askedHost = undefined;
  }

  /** Marks the host as near if its loading doesn't have to wait. */
  check(): void {
    const loading = this.#options.loading();
    if (loading === 'click') return;
    this.#wasNear ||= this.isVisible || page.isPrinting || loading === 'eager' || !globalThis.IntersectionObserver;
  }

  readonly #onVisibility = ({ isIntersecting }: IntersectionObserverEntry): void => {
    this.isVisible = isIntersecting;
    if (!isIntersecting || this.isNear) return;
    this.check();
    this.#host.requestUpdate();
  };
}
