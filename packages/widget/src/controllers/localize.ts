import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { embeddedTranslation } from '../data/embedded-data.ts';
import { type CardMessages, ENGLISH, type Messages } from '../i18n/messages.ts';
import { fileTagOf, languageOf, loadTranslation, messagesFor } from '../i18n/translations.ts';

/** An element that shows messages from a BFF. */
export interface LocalizeHost extends ReactiveControllerHost, Element {
  /** The BFF's URL. */
  readonly _bff: string;
}

/** Provides the language of its host and the messages in that language. */
export class LocalizeController implements ReactiveController {
  /** A BCP 47 tag, for dates and numbers. */
  language = 'en';
  messages: CardMessages = ENGLISH;
  /** Resolves when the messages have loaded or failed to load. */
  loaded: Promise<unknown> = Promise.resolve();
  readonly #host: LocalizeHost;
  /** The messages that a server has written into the host. */
  #embedded: Partial<Messages> | undefined;

  constructor(host: LocalizeHost) {
    this.#host = host;
    host.addController(this);
  }

  /** Whether the host's language has changed since its last update. */
  get isOutdated(): boolean {
    return languageOf(this.#host) !== this.language;
  }

  hostConnected(): void {
    this.#embedded ??= embeddedTranslation(this.#host);
  }

  hostUpdate(): void {
    const { _bff } = this.#host;
    this.language = languageOf(this.#host);
    const own = this.#embedded?.lang === fileTagOf(this.language) ? this.#embedded : undefined;
    if (!own) this.loaded = loadTranslation(_bff, this.language);
    this.messages = messagesFor(_bff, this.language, own);
  }
}
