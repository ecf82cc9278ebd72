import type { LoadOptions } from '../controllers/resource.ts';
import type { ResourceState } from '../controllers/resource-state.ts';
import type { ReaderSession } from '../data/reader-session.ts';
import type { CardMessages } from '../i18n/messages.ts';
import type { PulseEvents } from './events.ts';

/** The data that all templates need. */
export interface ElementView<T> {
  readonly state: ResourceState<T>;
  readonly variant: string;
  readonly theme: string;
  readonly messages: CardMessages;
  /** A BCP 47 tag, for dates and numbers. */
  readonly language: string;
  /** Whether the page has provided content to show until the element is ready. */
  readonly hasFallback: boolean;
  /** The host that the button for `loading="click"` shows. Undefined if the element doesn't have the button. */
  readonly askedHost: string | undefined;
  readonly onRetry: () => void;
  readonly onFallbackChange: () => void;
  /** Sends a request to the BFF with the element's permissions. */
  readonly request: ReaderSession['request'];
}

/** The fields of an event's detail other than the source ID, which every detail has. */
export type EventDetail<Name extends keyof PulseEvents> = Omit<PulseEvents[Name], 'sourceId'>;

/** Options for loading an element's data. */
export interface ElementLoadOptions extends LoadOptions {
  /** Returns the session for a request that is sent now. */
  readonly getSession: () => ReaderSession;
  /** Whether the element is allowed to use a response that a server has written into the page. */
  readonly takesEmbedded: boolean;
}
