import type { announce } from '../a11y/announcer.ts';
import type { BffClient } from '../data/client.ts';
import type { Pulse } from '../data/pulse.ts';
import type { CardView } from '../elements/pulse-card/template.ts';
import { aiNote } from '../i18n/ai-note.ts';
import { EXTRAS_ENGLISH, type ExtrasMessages } from '../i18n/messages.ts';
import { providerName } from '../i18n/provider-name.ts';
import { plainText } from '../markdown/markdown.ts';

/** A card as its actions need it. */
export interface ActionCard {
  readonly host: HTMLElement;
  /** What is shown. */
  readonly view: CardView & { readonly language: string };
  /** Requests with the rights of the card. */
  readonly client: Pick<BffClient, 'request'>;
  readonly announce: typeof announce;
}

/** The pulse that a card shows. */
export function pulseOf({ view }: ActionCard): Pulse {
  return view.state.data as Pulse;
}

/** The messages of a card, with those of its actions. */
export function messagesOf({ view }: ActionCard): ActionCard['view']['messages'] & ExtrasMessages {
  return { ...EXTRAS_ENGLISH, ...view.messages };
}

/** What a copy or a picture of a card says. */
export interface CardTexts {
  readonly name: string;
  /** "AI-generated", if there is a finding. */
  readonly label: string;
  readonly finding: string;
  readonly date: string;
  /** Where the data comes from, and the page. */
  readonly source: string;
}

/** The texts of a card. The name is the one that its reader sees. */
export function textsOf(card: ActionCard): CardTexts {
  const { state, listing, absoluteTime, aiReviewedBy } = card.view;
  const { aiSummaryShort, completedAt } = pulseOf(card);
  const messages = messagesOf(card);
  const slot = card.host.shadowRoot?.querySelector<HTMLSlotElement>('slot[name=name]');
  const name = slot?.assignedNodes({ flatten: true }).map(({ textContent }) => textContent) ?? [];
  const finding = plainText(aiSummaryShort ?? '');
  const { provider } = listing ?? state.source ?? {};
  const places = [provider && providerName(provider), location.host].filter(Boolean).join(' · ');
  return {
    name: name.join('').trim(),
    label: finding && aiNote(messages, aiReviewedBy),
    finding,
    date: completedAt ? absoluteTime(completedAt, { dateStyle: 'medium' }) : '',
    source: places && messages.sourceLine.replace('{source}', () => places),
  };
}
