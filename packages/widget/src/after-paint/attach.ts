import type { Pulse } from '../data/pulse.ts';
import type { CardHost } from '../elements/pulse-card/shown-card.ts';
import { watchFinding } from './cut-finding.ts';
import { writeReaderCopy } from './reader-copy.ts';
import { updateAnnouncement } from './update-announcement.ts';
import { watchViews } from './view.ts';

const FADE_MS = 150;

/**
 * Adds the behavior that a card needs once it has shown `first`: reports views, measures the finding, writes each pulse
 * for reader modes, and fades in and announces new runs.
 */
export function attach(host: CardHost, first: Pulse | null): void {
  let before = first;
  const hostUpdated = (): void => {
    const { currentPulse: pulse } = host;
    if (pulse === before) return;
    const isUpdate = before?.sourceId === pulse?.sourceId && before?.jobRunId !== pulse?.jobRunId;
    before = pulse;
    const card = host._card;
    writeReaderCopy(card);
    if (!isUpdate || !card.shown) return;
    if (!globalThis.matchMedia?.('(prefers-reduced-motion)').matches)
      (host.renderRoot.firstElementChild as Partial<Element> | null)?.animate?.({ opacity: [0, 1] }, FADE_MS);
    void card.announce(updateAnnouncement(card.shown), host);
  };
  watchViews(host);
  watchFinding(host);
  writeReaderCopy(host._card);
  host.addController({ hostUpdated });
  hostUpdated();
}
