import type { TemplateResult } from 'lit';
import { cleanText } from '@pulse-card/contract/text';
import type { Pulse } from '../../data/pulse.ts';
import { aiNote } from '../../i18n/ai-note.ts';
import { providerName } from '../../i18n/provider-name.ts';
import { plainText } from '../../markdown/inline.ts';
import { findingTemplate } from '../../markdown/inline-template.ts';
import { type CardView, nameOf } from './card-view.ts';
import { dateTemplate } from './footer-template.ts';
import { noteTemplate } from './header-template.ts';

/** The parts of a card for the code that copies, draws, or enlarges it. */
export interface ShownParts {
  readonly name: string | undefined;
  /** The finding without marks; empty if there is none. */
  readonly finding: string;
  /** The AI label; empty if there is no finding. */
  readonly aiLabel: string;
  /** The usual name of the provider; empty if it isn't known. */
  readonly provider: string;
  readonly noteTemplate: TemplateResult;
  /** The AI label of an earlier finding, which has no reviewer. */
  readonly earlierNoteTemplate: TemplateResult;
  readonly dateTemplate: unknown;
  readonly findingTemplate: unknown;
  /** Clean text of at most `limit` code units without marks. */
  readonly readable: (text: string, limit: number) => string;
}

/** The parts of a card that shows `pulse`. */
export function shownParts(view: CardView, pulse: Pulse): ShownParts {
  const { messages, aiReviewedBy, listing, state } = view;
  const finding = pulse.aiSummaryShort ?? '';
  return {
    name: nameOf(view),
    finding: plainText(finding),
    aiLabel: finding && aiNote(messages, aiReviewedBy),
    provider: providerName((listing ?? state.source)?.provider ?? ''),
    noteTemplate: noteTemplate(view),
    earlierNoteTemplate: noteTemplate({ ...view, aiReviewedBy: '' }),
    dateTemplate: dateTemplate(view, pulse),
    findingTemplate: findingTemplate(finding),
    readable: (text, limit) => plainText(cleanText(text, limit)),
  };
}
