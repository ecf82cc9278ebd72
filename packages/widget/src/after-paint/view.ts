import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { isPageHidden } from '../controllers/page.ts';
import { SharedObserver } from '../controllers/shared-observer.ts';

/** How long a host must be in view, in milliseconds. */
const VIEWED_AFTER_MS = 1_000;

/** The fraction of the host, or of the viewport, that must be in view. */
const SHARE = 0.5;

/**
 * The visible fractions at which the observer reports. An element that is larger than the viewport can fill half of the
 * viewport at any of these fractions.
 */
const THRESHOLDS = Array.from({ length: 21 }, (_, step) => step / 20);

const observer = new SharedObserver<IntersectionObserverEntry>(
  (onEntries) => globalThis.IntersectionObserver && new IntersectionObserver(onEntries, { threshold: THRESHOLDS }),
);

/** The facts that decide when something is viewed. */
export interface ViewOptions {
  /** Identifies the visible content; undefined if there is none. */
  readonly key: () => string | undefined;
  /** Called once for each value of `key`. */
  readonly onView: () => void;
}

/** Reports when half of its host, or a part that fills half of the viewport, was visible for a second. */
export class ViewController implements ReactiveController {
  readonly #host: ReactiveControllerHost & Element;
  readonly #options: ViewOptions;
  #isInView = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timedKey: string | undefined;
  readonly #viewed = new Set<string>();

  constructor(host: ReactiveControllerHost & Element, options: ViewOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostConnected(): void {
    observer.observe(this.#host, this.#onIntersection);
    Document.prototype.addEventListener.call(document, 'visibilitychange', this.#check);
  }

  hostUpdated(): void {
    this.#check();
  }

  hostDisconnected(): void {
    observer.unobserve(this.#host);
    Document.prototype.removeEventListener.call(document, 'visibilitychange', this.#check);
    this.#isInView = false;
    this.#stop();
  }

  readonly #onIntersection = ({ intersectionRatio, intersectionRect, rootBounds }: IntersectionObserverEntry): void => {
    const viewport = rootBounds ?? { width: innerWidth, height: innerHeight };
    const filled = (intersectionRect.width * intersectionRect.height) / (viewport.width * viewport.height);
    this.#isInView = intersectionRatio >= SHARE || filled >= SHARE;
    this.#check();
  };

  /** Starts the timer, or stops it if the host is no longer in view or shows different content. */
  readonly #check = (): void => {
    const key = this.#isInView && !isPageHidden() ? this.#options.key() : undefined;
    if (key === this.#timedKey) return;
    this.#stop();
    if (key === undefined || this.#viewed.has(key)) return;
    this.#timedKey = key;
    this.#timer = setTimeout(() => {
      this.#viewed.add(key);
      this.#options.onView();
    }, VIEWED_AFTER_MS);
  };

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timedKey = undefined;
  }
}
