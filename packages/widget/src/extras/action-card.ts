import { isSignedOut } from '../elements/pulse-card/card-view.ts';
import type { RequestView, ShownCard, ShownParts } from '../elements/pulse-card/shown-card.ts';
import { type CardMessages, EXTRAS_ENGLISH, type ExtrasMessages } from '../i18n/messages.ts';

/** A card's content, with all messages that the extras file uses. */
export interface ShownView extends RequestView, ShownParts {
  readonly messages: CardMessages & ExtrasMessages;
}

/** A card's view. Throws if the card isn't showing a pulse, or if its reader is signed out. */
export function viewOf({ shown }: ShownCard): ShownView {
  if (!shown || isSignedOut(shown)) throw new Error('no pulse, or signed out');
  return { ...shown, messages: messagesOf(shown) };
}

/** A card's messages, together with the messages that only the extras file uses. */
export function messagesOf({ messages }: Pick<RequestView, 'messages'>): ShownView['messages'] {
  return { ...EXTRAS_ENGLISH, ...messages };
}

/** The text that is copied or drawn in a card's image. */
export interface CardTexts {
  readonly name: string;
  /** "AI-generated", if there is a finding. */
  readonly label: string;
  readonly finding: string;
  readonly date: string;
  /** The data provider and the page's host. */
  readonly source: string;
}

/** A card's text, with the name that the reader sees. */
export function textsOf(card: ShownCard): CardTexts {
  const { absoluteTime, messages, pulse, aiLabel, readable, provider } = viewOf(card);
  const slot = card.host.shadowRoot?.querySelector<HTMLSlotElement>('slot[name=name]');
  const name = slot?.assignedNodes({ flatten: true }).map(({ textContent }) => textContent) ?? [];
  const places = [provider, location.host].filter(Boolean).join(' · ');
  return {
    name: name.join('').trim(),
    label: aiLabel,
    finding: readable(pulse.aiSummaryShort),
    date: pulse.completedAt ? absoluteTime(pulse.completedAt, { dateStyle: 'medium' }) : '',
    source: places && messages.sourceLine.replace('{source}', () => places),
  };
}
