import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { page } from './page.ts';

/** Far enough ahead that the chart is there when the reader is; `scrollMargin` is the same for panes that scroll. */
const NEAR: IntersectionObserverInit & { scrollMargin: string } = { rootMargin: '200px', scrollMargin: '200px' };

/** How an element waits until it is near the viewport. */
export interface ViewportOptions {
  /** `lazy` waits, `eager` doesn't, and `click` waits until the reader or the page asks. */
  readonly loading: () => 'lazy' | 'eager' | 'click';
}

/** Notices where its host is; for paper, everything is near. */
export class ViewportController implements ReactiveController {
  /** Whether the host has been near the viewport, or someone has asked for its content. */
  isNear = false;
  /** Whether it is there now. */
  isVisible = false;
  readonly #host: ReactiveControllerHost & Element;
  readonly #options: ViewportOptions;

  constructor(host: ReactiveControllerHost & Element, options: ViewportOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostConnected(): void {
    visibilityListeners.set(this.#host, this.#onVisibility);
    observer()?.observe(this.#host);
  }

  hostDisconnected(): void {
    observer()?.unobserve(this.#host);
    this.isVisible = false;
  }

  /** Treats the host as near from now on. */
  enter(): void {
    this.isNear = true;
    this.#host.requestUpdate();
  }

  /** Takes note of what makes its host near wherever that is. */
  check(): void {
    const loading = this.#options.loading();
    if (loading === 'click') return;
    this.isNear ||= this.isVisible || page.isPrinting || loading === 'eager' || !observer();
  }

  readonly #onVisibility = (isVisible: boolean): void => {
    this.isVisible = isVisible;
    if (!isVisible || this.isNear) return;
    this.check();
    this.#host.requestUpdate();
  };
}

const visibilityListeners = new WeakMap<Element, (isVisible: boolean) => void>();
let sharedObserver: IntersectionObserver | undefined;

/** One observer serves all elements; there is none in the DOMs of test runners. */
function observer(): IntersectionObserver | undefined {
  if (!globalThis.IntersectionObserver) return undefined;
  return (sharedObserver ??= new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) visibilityListeners.get(target)?.(isIntersecting);
  }, NEAR));
}
