import type { LitElement, TemplateResult } from 'lit';
import { cleanText, TEXT_LIMITS } from '@pulse-card/contract/text';
import type { Announce } from '../../a11y/live-region.ts';
import type { PulseStatus } from '../../controllers/resource-state.ts';
import type { Pulse } from '../../data/pulse.ts';
import type { ReaderSession } from '../../data/reader-session.ts';
import { aiNote } from '../../i18n/ai-note.ts';
import { providerName } from '../../i18n/provider-name.ts';
import { plainText } from '../../markdown/inline.ts';
import { findingTemplate } from '../../markdown/inline-template.ts';
import type { EventDetail } from '../element-view.ts';
import type { PulseEvents } from '../events.ts';
import { type CardView, nameOf } from './card-view.ts';
import { dateTemplate } from './footer-template.ts';
import { noteTemplate } from './header-template.ts';

/** A card's element. */
export interface CardHost extends LitElement {
  readonly state: PulseStatus;
  readonly failure: { readonly code: string } | null;
  readonly sourceId: string;
  readonly currentPulse: Pulse | null;
  /** The pulse that the page provides. */
  readonly pulse: Pulse | null;
  readonly actions: string;
  readonly history: boolean;
  readonly open: boolean;
  readonly variant: string;
  /** Whether the card has too little space for the whole finding. */
  _isFindingCut: boolean;
  /** What the card shows now. */
  readonly _card: ShownCard;
  _dispatch<Name extends keyof PulseEvents>(name: Name, detail: EventDetail<Name>): boolean;
}

/**
 * A card, for the code in the two files that load later. That code gets everything from the first file through this
 * object.
 */
export interface ShownCard {
  readonly host: CardHost;
  readonly view: RequestView;
  /** What the card shows; undefined if it isn't showing a pulse. */
  readonly shown: ShownView | undefined;
  readonly announce: Announce;
}

/** A card's view and the function that sends requests with the card's permissions. */
export interface RequestView extends CardView {
  readonly request: ReaderSession['request'];
}

/** The view of a card that shows a pulse. */
export interface ShownView extends RequestView, ShownParts {}

/** The parts of a card that shows a pulse. */
export interface ShownParts {
  readonly pulse: Pulse;
  readonly name: string | undefined;
  /** The AI label; empty if there is no finding. */
  readonly aiLabel: string;
  /** The provider's usual name; empty if it isn't known. */
  readonly provider: string;
  readonly noteTemplate: TemplateResult;
  /** The AI label for earlier findings, which have no reviewer. */
  readonly earlierNoteTemplate: TemplateResult;
  readonly dateTemplate: unknown;
  readonly findingTemplate: () => unknown;
  /** Returns clean text with the formatting stripped. */
  readonly readable: (text: string | null) => string;
}

/** The parts of a card that shows `pulse`. */
export function shownParts(view: CardView, pulse: Pulse): ShownParts {
  const { messages, aiReviewedBy, listing, state } = view;
  const { aiSummaryShort } = pulse;
  return {
    pulse,
    name: nameOf(view),
    aiLabel: aiSummaryShort ? aiNote(messages, aiReviewedBy) : '',
    provider: providerName((listing ?? state.source)?.provider ?? ''),
    noteTemplate: noteTemplate(view),
    earlierNoteTemplate: noteTemplate({ ...view, aiReviewedBy: '' }),
    dateTemplate: dateTemplate(view, pulse),
    findingTemplate: () => findingTemplate(aiSummaryShort ?? ''),
    readable: (text) => plainText(cleanText(text ?? '', TEXT_LIMITS.summaryShort)),
  };
}
