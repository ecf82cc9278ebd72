import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Pulse } from '../data/pulse.ts';
import { SharedObserver } from './shared-observer.ts';

const observer = new SharedObserver<ResizeObserverEntry>(
  (onEntries) =>
    // Calls back in a later task, because the browser reports a loop if a callback changes sizes in the same one.
    globalThis.ResizeObserver && new ResizeObserver((entries) => setTimeout(() => onEntries(entries))),
);

/** A card whose finding can be truncated. */
export interface FindingHost extends ReactiveControllerHost, Element {
  readonly variant: string;
  readonly currentPulse: Pulse | null;
}

/**
 * Tracks whether its host truncates the finding, so that the reader can expand it. A card with an analysis can always be
 * expanded.
 */
export class CutFinding implements ReactiveController {
  isCut = false;
  readonly #host: FindingHost;

  constructor(host: FindingHost) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    observer.observe(this.#host, () => {
      // A narrow compact card has no chart.
      if (this.#host.variant === 'compact') this.#host.requestUpdate();
      this.hostUpdated();
    });
  }

  hostDisconnected(): void {
    observer.unobserve(this.#host);
  }

  hostUpdated(): void {
    const { currentPulse, shadowRoot } = this.#host;
    if (!currentPulse || currentPulse.aiSummaryLong) return;
    // Pressing the toggle opens the details before the card is notified, and expanded findings are never truncated.
    const finding = shadowRoot?.querySelector('article:not(:has(details[open])) [part=summary]');
    if (!finding || isCut(finding) === this.isCut) return;
    this.isCut = !this.isCut;
    this.#host.requestUpdate();
  }
}

/** Whether the line limit or the footer hides the end of the finding. */
function isCut(finding: Element): boolean {
  const face = finding.closest('.face') as Element;
  const isClipped = finding.getBoundingClientRect().bottom > face.getBoundingClientRect().bottom + 1;
  return isClipped || finding.scrollHeight > finding.clientHeight + 1;
}
