import type { PulseStatus } from '../controllers/resource-state.ts';
import type { SourceList } from '../data/parse-sources.ts';
import type { Pulse } from '../data/pulse.ts';
import type { PulseErrorCode } from '../data/result.ts';

/** The fields that all event details share. */
interface PulseEventDetail {
  /** The source's ID; null for a board's list. */
  readonly sourceId: string | null;
}

/** The element's state has changed. */
export interface PulseStateDetail extends PulseEventDetail {
  readonly state: PulseStatus;
  readonly previous: PulseStatus;
}

/** The first pulse of a source has loaded. */
export interface PulseLoadDetail extends PulseEventDetail {
  readonly pulse: Pulse;
  /** True if the data is stale. */
  readonly stale: boolean;
}

/** The card shows a different run. */
export interface PulseUpdateDetail extends PulseEventDetail {
  readonly pulse: Pulse;
  readonly previous: Pulse;
}

/** Half of the card, or a part that fills half of the viewport, was visible for one second. */
export interface PulseViewDetail extends PulseEventDetail {
  readonly pulse: Pulse;
}

/** The source has no pulse yet. */
export interface PulseEmptyDetail extends PulseEventDetail {}

/** A request failed. */
export interface PulseErrorDetail extends PulseEventDetail {
  /** A code from the BFF, or `network`, `timeout`, `invalid_answer`, `signed_out`. */
  readonly code: PulseErrorCode;
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** Whether the same request might succeed later. */
  readonly retriable: boolean;
  /** The message that the reader sees. */
  readonly message: string;
}

/** The reader expanded or collapsed the analysis. */
export interface PulseToggleDetail extends PulseEventDetail {
  readonly open: boolean;
}

/** The reader opened the enlarged view. */
export interface PulseEnlargeDetail extends PulseEventDetail {
  readonly pulse: Pulse;
}

/** The actions that a card's buttons perform. */
export type ButtonAction = 'copy' | 'save' | 'share';

/** The name of a button or link in the footer. */
export type PulseAction = ButtonAction | 'open-source';

/** The reader used a button or link in the footer. */
export interface PulseActionDetail extends PulseEventDetail {
  readonly action: PulseAction;
}

/** A board's list has loaded. */
export interface PulseBoardLoadDetail extends PulseEventDetail {
  readonly sources: SourceList;
  /** True if the data is stale. */
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
