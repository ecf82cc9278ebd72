import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { type CardMessages, ENGLISH } from '../i18n/messages.ts';
import { languageOf, loadTranslation, messagesFor } from '../i18n/translations.ts';

/** The source of the messages. */
export interface LocalizeOptions {
  /** The address of the BFF. */
  readonly baseUrl: () => string;
}

/** Provides the language of its host, and the messages in that language. */
export class LocalizeController implements ReactiveController {
  /** A BCP 47 tag, for dates and numbers. */
  language = 'en';
  messages: CardMessages = ENGLISH;
  /** Resolves when the messages have loaded or failed to load. */
  loaded: Promise<unknown> = Promise.resolve();
  readonly #host: ReactiveControllerHost & Element;
  readonly #options: LocalizeOptions;

  constructor(host: ReactiveControllerHost & Element, options: LocalizeOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostUpdate(): void {
    this.language = languageOf(this.#host);
    const baseUrl = this.#options.baseUrl();
    this.loaded = loadTranslation(baseUrl, this.language);
    this.messages = messagesFor(baseUrl, this.language);
  }
}
