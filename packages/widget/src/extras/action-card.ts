import type { ReactiveControllerHost } from 'lit';
import type { ReaderSession } from '../data/reader-session.ts';
import type { Pulse } from '../data/pulse.ts';
import type { Announce } from '../a11y/live-region.ts';
import type { CardView } from '../elements/pulse-card/card-view.ts';
import type { ShownParts } from '../elements/pulse-card/shown-parts.ts';
import { type CardMessages, EXTRAS_ENGLISH, type ExtrasMessages } from '../i18n/messages.ts';

/** A card's content, and the function that sends requests for the extras file. */
export interface ActionView extends CardView {
  /** The language of dates, as a BCP 47 tag. */
  readonly language: string;
  /** Sends a request with the card's rights. */
  readonly request: ReaderSession['request'];
  /** The address of the latest run. Undefined if the card is private. */
  readonly permalink: string | undefined;
}

/** The element of a card. */
export interface CardHost extends ReactiveControllerHost, HTMLElement {
  readonly currentPulse: Pulse | null;
  /** The pulse that the page provides. */
  readonly pulse: Pulse | null;
}

/** The parts of a card that the code in the extras file needs. */
export interface ActionCard {
  readonly host: CardHost;
  /** What the card shows; undefined if it shows no pulse. */
  readonly shown: (ActionView & ShownParts & { readonly pulse: Pulse }) | undefined;
  readonly announce: Announce;
}

/** What a card shows, with all messages that the extras file uses. */
export interface ShownView extends ActionView, ShownParts {
  readonly pulse: Pulse;
  readonly messages: CardMessages & ExtrasMessages;
}

/** The view of a card. Throws if the card shows no pulse. */
export function viewOf({ shown }: ActionCard): ShownView {
  if (!shown) throw new Error('Cannot copy or draw the card: it shows no pulse');
  if (shown.state.failure?.code === 'signed_out')
    throw new Error('Cannot copy or draw the card: the reader is signed out');
  return { ...shown, messages: { ...EXTRAS_ENGLISH, ...shown.messages } };
}

/** The texts for a copy or a picture of a card. */
export interface CardTexts {
  readonly name: string;
  /** "AI-generated", if there is a finding. */
  readonly label: string;
  readonly finding: string;
  readonly date: string;
  /** The provider of the data, and the page. */
  readonly source: string;
}

/** A card's texts, with the name that the reader sees. */
export function textsOf(card: ActionCard): CardTexts {
  const { absoluteTime, messages, pulse, aiLabel, finding, provider } = viewOf(card);
  const slot = card.host.shadowRoot?.querySelector<HTMLSlotElement>('slot[name=name]');
  const name = slot?.assignedNodes({ flatten: true }).map(({ textContent }) => textContent) ?? [];
  const places = [provider, location.host].filter(Boolean).join(' · ');
  return {
    name: name.join('').trim(),
    label: aiLabel,
    finding,
    date: pulse.completedAt ? absoluteTime(pulse.completedAt, { dateStyle: 'medium' }) : '',
    source: places && messages.sourceLine.replace('{source}', () => places),
  };
}
