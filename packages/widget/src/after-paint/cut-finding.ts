import type { CardHost } from '../elements/pulse-card/shown-card.ts';

/** One observer for all cards. The simulated DOMs of test runners don't have observers. */
const observer =
  globalThis.ResizeObserver &&
  // In a later task, because the browser reports a loop if a callback changes sizes in the same one.
  new ResizeObserver((entries) => setTimeout(() => entries.forEach(({ target }) => onResize(target as CardHost))));

/**
 * Tracks whether `card` truncates its finding, so that the reader can expand it. A card with an analysis can always be
 * expanded.
 */
export function watchFinding(card: CardHost): void {
  card.addController({
    hostConnected: () => observer?.observe(card),
    hostUpdated: () => measure(card),
    hostDisconnected: () => observer?.unobserve(card),
  });
}

function onResize(card: CardHost): void {
  // A narrow compact card has no chart.
  if (card.variant === 'compact') card.requestUpdate();
  measure(card);
}

function measure(card: CardHost): void {
  const { currentPulse, shadowRoot } = card;
  if (!currentPulse || currentPulse.aiSummaryLong) return;
  // Pressing the toggle opens the details before the card is notified, and expanded findings are never truncated.
  const finding = shadowRoot?.querySelector('article:not(:has(details[open])) [part=summary]');
  if (!finding || isCut(finding) === card._isFindingCut) return;
  card._isFindingCut = !card._isFindingCut;
  card.requestUpdate();
}

/** Whether the line limit or the footer hides the end of the finding. */
function isCut(finding: Element): boolean {
  const face = finding.closest('.face') as Element;
  const isClipped = finding.getBoundingClientRect().bottom > face.getBoundingClientRect().bottom + 1;
  return isClipped || finding.scrollHeight > finding.clientHeight + 1;
}
