import type { SourceList } from './board/source-list.ts';
import type { Pulse } from './pulse-outcome.ts';

/** The first pulse of a source is there. */
export interface PulseLoadDetail {
  readonly pulse: Pulse;
  /** True for an earlier version. */
  readonly stale: boolean;
}

/** Another pulse took the place of the one shown. */
export interface PulseUpdateDetail {
  readonly pulse: Pulse;
  readonly previous: Pulse;
}

/** A pulse could not be had. */
export interface PulseErrorDetail {
  readonly code: string;
  /** The HTTP status, 0 where there was no answer. */
  readonly status: number;
  readonly retriable: boolean;
  /** What the reader was told. */
  readonly message: string;
}

/** The analysis was folded or unfolded. */
export interface PulseToggleDetail {
  readonly open: boolean;
}

/** The list of a board is there. */
export interface PulseBoardLoadDetail {
  readonly sources: SourceList;
  /** True for an earlier version. */
  readonly stale: boolean;
}

/** The events of card and board by name. */
export interface PulseEvents {
  'pulse-load': PulseLoadDetail;
  'pulse-update': PulseUpdateDetail;
  'pulse-error': PulseErrorDetail;
  'pulse-toggle': PulseToggleDetail;
  'pulse-board-load': PulseBoardLoadDetail;
}

declare global {
  /** Of elements, the document and the window: the events bubble. */
  interface GlobalEventHandlersEventMap {
    'pulse-load': CustomEvent<PulseLoadDetail>;
    'pulse-update': CustomEvent<PulseUpdateDetail>;
    'pulse-error': CustomEvent<PulseErrorDetail>;
    'pulse-toggle': CustomEvent<PulseToggleDetail>;
    'pulse-board-load': CustomEvent<PulseBoardLoadDetail>;
  }
}

/** Dispatches an event of ours from `element`; it bubbles and leaves shadow roots. */
export function dispatch<Name extends keyof PulseEvents>(
  element: Element,
  name: Name,
  detail: PulseEvents[Name],
): void {
  element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
}
