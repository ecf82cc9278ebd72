import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { ENGLISH, type Messages } from '../i18n/messages.ts';
import { languageOf, loadTranslation, messagesFor } from '../i18n/translations.ts';

/** An element that says something in the language that it stands in. */
export interface LocalizeHost extends ReactiveControllerHost, Element {
  readonly resolvedBaseUrl: string;
}

/** Keeps the language that its host stands in, and the messages for it. */
export class LocalizeController implements ReactiveController {
  /** A BCP 47 tag, for dates and numbers. */
  language = 'en';
  messages: Messages = ENGLISH;
  /** Resolves when the messages are there, or cannot be had. */
  loaded: Promise<unknown> = Promise.resolve();
  readonly #host: LocalizeHost;

  constructor(host: LocalizeHost) {
    this.#host = host;
    host.addController(this);
  }

  hostUpdate(): void {
    this.language = languageOf(this.#host);
    this.loaded = loadTranslation(this.#host.resolvedBaseUrl, this.language);
    this.messages = messagesFor(this.language);
  }
}
