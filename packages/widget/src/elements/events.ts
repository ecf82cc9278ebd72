import type { SourceList } from '../data/parse-sources.ts';
import type { Pulse } from '../data/pulse.ts';

/** The first pulse of a source is there. */
export interface PulseLoadDetail {
  readonly pulse: Pulse;
  /** True for an earlier version. */
  readonly stale: boolean;
}

/** Another run took the place of the one shown. */
export interface PulseUpdateDetail {
  readonly pulse: Pulse;
  readonly previous: Pulse;
}

/** The source has no pulse yet. */
export interface PulseEmptyDetail {
  readonly sourceId: string;
}

/** A request failed. */
export interface PulseErrorDetail {
  /** A code of the BFF, or `network`, `timeout`, `invalid_answer`, `signed_out`. */
  readonly code: string;
  /** The HTTP status, 0 where there was no response. */
  readonly status: number;
  /** Whether the same request can succeed later. */
  readonly retriable: boolean;
  /** What the reader is told. */
  readonly message: string;
}

/** The reader folded or unfolded the analysis. */
export interface PulseToggleDetail {
  readonly open: boolean;
}

/** The list of a board is there. */
export interface PulseBoardLoadDetail {
  readonly sources: SourceList;
  /** True for an earlier version. */
  readonly stale: boolean;
}

/** The details of all events by name. */
export interface PulseEvents {
  'pulse-load': PulseLoadDetail;
  'pulse-update': PulseUpdateDetail;
  'pulse-empty': PulseEmptyDetail;
  'pulse-error': PulseErrorDetail;
  'pulse-toggle': PulseToggleDetail;
  'pulse-board-load': PulseBoardLoadDetail;
}

type PulseEventMap = { [Name in keyof PulseEvents]: CustomEvent<PulseEvents[Name]> };

declare global {
  interface GlobalEventHandlersEventMap extends PulseEventMap {}
}

/** Dispatches one of our events from `element`; all of them bubble and leave shadow roots. */
export function dispatch<Name extends keyof PulseEvents>(
  element: Element,
  name: Name,
  detail: PulseEvents[Name],
): void {
  element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
}
