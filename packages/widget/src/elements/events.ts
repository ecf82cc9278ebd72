import type { PulseStatus } from '../controllers/resource-state.ts';
import type { SourceList } from '../data/parse-sources.ts';
import type { Pulse } from '../data/pulse.ts';
import type { PulseErrorCode } from '../data/result.ts';
import type { ButtonAction } from './button-action.ts';

/** The fields of all event details. */
interface PulseEventDetail {
  /** The source that it is about; null for the list of a board. */
  readonly sourceId: string | null;
}

/** The element is in another state. */
export interface PulseStateDetail extends PulseEventDetail {
  readonly state: PulseStatus;
  readonly previous: PulseStatus;
}

/** The first pulse of a source is there. */
export interface PulseLoadDetail extends PulseEventDetail {
  readonly pulse: Pulse;
  /** True for an earlier version. */
  readonly stale: boolean;
}

/** Another run took the place of the one shown. */
export interface PulseUpdateDetail extends PulseEventDetail {
  readonly pulse: Pulse;
  readonly previous: Pulse;
}

/** Half of the card, or half of the viewport filled by it, was visible for one second. */
export interface PulseViewDetail extends PulseEventDetail {
  readonly pulse: Pulse;
}

/** The source has no pulse yet. */
export interface PulseEmptyDetail extends PulseEventDetail {}

/** A request failed. */
export interface PulseErrorDetail extends PulseEventDetail {
  /** A code of the BFF, or `network`, `timeout`, `invalid_answer`, `signed_out`. */
  readonly code: PulseErrorCode;
  /** The HTTP status, 0 where there was no response. */
  readonly status: number;
  /** Whether the same request can succeed later. */
  readonly retriable: boolean;
  /** The message to the reader. */
  readonly message: string;
}

/** The reader folded or unfolded the analysis. */
export interface PulseToggleDetail extends PulseEventDetail {
  readonly open: boolean;
}

/** The reader asks for the enlarged chart. */
export interface PulseEnlargeDetail extends PulseEventDetail {
  readonly pulse: Pulse;
}

/** What a reader does with a card by the buttons and links of its footer. */
export type PulseAction = ButtonAction | 'open-source';

/** The reader has used a button or link of the footer. */
export interface PulseActionDetail extends PulseEventDetail {
  readonly action: PulseAction;
}

/** The list of a board is there. */
export interface PulseBoardLoadDetail extends PulseEventDetail {
  readonly sources: SourceList;
  /** True for an earlier version. */
  readonly stale: boolean;
}

/** The details of all events by name. */
export interface PulseEvents {
  'pulse-state': PulseStateDetail;
  'pulse-load': PulseLoadDetail;
  'pulse-update': PulseUpdateDetail;
  'pulse-view': PulseViewDetail;
  'pulse-empty': PulseEmptyDetail;
  'pulse-error': PulseErrorDetail;
  'pulse-toggle': PulseToggleDetail;
  'pulse-enlarge': PulseEnlargeDetail;
  'pulse-action': PulseActionDetail;
  'pulse-board-load': PulseBoardLoadDetail;
}

type PulseEventMap = { [Name in keyof PulseEvents]: CustomEvent<PulseEvents[Name]> };

declare global {
  interface GlobalEventHandlersEventMap extends PulseEventMap {}
}

/** Dispatches one of our events from `element`; all of them bubble and leave shadow roots. False if a cancelable one was cancelled. */
export function dispatch<Name extends keyof PulseEvents>(
  element: Element,
  name: Name,
  detail: PulseEvents[Name],
): boolean {
  const cancelable = name === 'pulse-enlarge';
  return element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable }));
}
