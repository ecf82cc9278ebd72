import { isPageHidden } from '../controllers/page.ts';
import type { CardHost } from '../elements/pulse-card/shown-card.ts';

/** How long a card must be in view, in milliseconds. */
const VIEWED_AFTER_MS = 1_000;

/** The fraction of the card, or of the viewport, that must be in view. */
const SHARE = 0.5;

/**
 * The visibility ratios at which the observer reports. A card that is larger than the viewport can fill half of it at
 * any of these ratios.
 */
const THRESHOLDS = [...Array(21).keys()].map((step) => step / 20);

/**
 * Dispatches `pulse-view` when half of `card`, or a part that fills half of the viewport, has been visible for a
 * second. Each run counts only once.
 */
export function watchViews(card: CardHost): void {
  const viewed = new Set<string>();
  let isInView = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timedRun: string | undefined;

  /** Starts the timer, or stops it if the card is no longer in view or shows a different run. */
  const check = (): void => {
    const pulse = isInView && !isPageHidden() ? card.currentPulse : null;
    const run = pulse?.jobRunId;
    if (run === timedRun) return;
    clearTimeout(timer);
    timedRun = run;
    if (!pulse || viewed.has(pulse.jobRunId)) return;
    timer = setTimeout(() => {
      viewed.add(pulse.jobRunId);
      card._dispatch('pulse-view', { pulse });
    }, VIEWED_AFTER_MS);
  };

  const onIntersection = ({ intersectionRatio, intersectionRect, rootBounds }: IntersectionObserverEntry): void => {
    const viewport = rootBounds ?? { width: innerWidth, height: innerHeight };
    const filled = (intersectionRect.width * intersectionRect.height) / (viewport.width * viewport.height);
    isInView = intersectionRatio >= SHARE || filled >= SHARE;
    check();
  };

  // The simulated DOMs of test runners don't have observers.
  const observer =
    globalThis.IntersectionObserver &&
    new IntersectionObserver((entries) => entries.forEach(onIntersection), { threshold: THRESHOLDS });

  card.addController({
    hostConnected() {
      observer?.observe(card);
      Document.prototype.addEventListener.call(document, 'visibilitychange', check);
    },
    hostUpdated: check,
    hostDisconnected() {
      observer?.disconnect();
      Document.prototype.removeEventListener.call(document, 'visibilitychange', check);
      isInView = false;
      check();
    },
  });
}
