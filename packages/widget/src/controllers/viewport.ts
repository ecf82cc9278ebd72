import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { hostOf } from '../base-url.ts';
import { page } from './page.ts';

/**
 * The distance at which loading starts, so that the chart is visible in time. `scrollMargin` applies to scrollable
 * panes.
 */
const NEAR: IntersectionObserverInit & { scrollMargin: string } = { rootMargin: '200px', scrollMargin: '200px' };

const controllers = new WeakMap<Element, ViewportController>();

/** One observer for all elements. The simulated DOMs of test runners don't have observers. */
const observer =
  globalThis.IntersectionObserver &&
  new IntersectionObserver(
    (entries) => entries.forEach((entry) => controllers.get(entry.target)?.onVisibility(entry)),
    NEAR,
  );

/** An element that loads when it is near the viewport, or when the reader asks. */
export interface ViewportHost extends ReactiveControllerHost, Element {
  /**
   * `lazy` waits until the element is near the viewport, `eager` doesn't wait, and `click` waits for the reader or the
   * page.
   */
  readonly loading: 'lazy' | 'eager' | 'click';
  /** The BFF's URL. */
  readonly _bff: string;
}

/** Tracks whether its host is near the viewport. When the page is printed, every host counts as near. */
export class ViewportController implements ReactiveController {
  #wasNear = false;
  /** The host that the reader has agreed to load content from. */
  #consent: string | undefined;
  /** Whether the host is near the viewport now. */
  isVisible = false;
  readonly #host: ViewportHost;

  constructor(host: ViewportHost) {
    this.#host = host;
    controllers.set(host, this);
    host.addController(this);
  }

  hostConnected(): void {
    observer?.observe(this.#host);
  }

  hostDisconnected(): void {
    observer?.unobserve(this.#host);
  }

  /** Whether the element has been near the viewport. With `click`, whether its content has been requested. */
  get isNear(): boolean {
    const { loading, _bff } = this.#host;
    return loading === 'click' ? this.#consent === hostOf(_bff) : this.#wasNear;
  }

  /** The host that needs the reader's consent. Undefined if the element isn't waiting for consent. */
  get askedHost(): string | undefined {
    const { loading, _bff } = this.#host;
    return loading === 'click' && !this.isNear ? hostOf(_bff) : undefined;
  }

  /** From now on, treats the element as near while its content comes from the same host. */
  enter(): void {
    this.#wasNear = true;
    this.#consent = hostOf(this.#host._bff);
    this.#host.requestUpdate();
  }

  /** Forgets that someone has requested the content. */
  leave(): void {
    this.#consent = undefined;
  }

  /** Marks the host as near if its loading doesn't have to wait. */
  check(): void {
    const { loading } = this.#host;
    if (loading === 'click') return;
    this.#wasNear ||= this.isVisible || page.isPrinting || loading === 'eager' || !observer;
  }

  onVisibility({ isIntersecting }: IntersectionObserverEntry): void {
    this.isVisible = isIntersecting;
    if (!isIntersecting || this.isNear) return;
    this.check();
    this.#host.requestUpdate();
  }
}
