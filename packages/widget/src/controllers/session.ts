import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { type ReaderSession, sessionFor, type SessionSubscriber } from '../data/reader-session.ts';
import { keyOf, type TokenProvider } from '../data/token.ts';
import { warnOnce } from '../diagnostics/warn-once.ts';

/** The minimum time between an element's calls to two different providers. */
const MIN_PROVIDER_MS = 5_000;

/** An element whose content depends on the reader. */
export interface SessionHost extends ReactiveControllerHost, SessionSubscriber {
  readonly isConnected: boolean;
  /** The BFF's URL. */
  readonly _bff: string;
  /** Called when the same reader has a different token, which can grant different permissions. */
  _onTokenChange(): void;
}

/** Keeps its host's token provider and reader, and subscribes the host to the session for both. */
export class SessionController implements ReactiveController {
  /** The provider that the page set last. */
  provider: TokenProvider | undefined;
  reader: string | undefined;
  readonly #host: SessionHost;
  /** The provider in use. It stays in use for a while if the page sets providers in quick succession. */
  #usedProvider: TokenProvider | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The session that the host subscribed to last. */
  #last: ReaderSession | undefined;

  constructor(host: SessionHost) {
    this.#host = host;
    host.addController(this);
  }

  /** Joins and returns the session for a request that is sent now. */
  join(): ReaderSession {
    const session = this.#sessionWith(this.#usedProvider);
    if (session !== this.#last) this.#leave();
    if (this.#host.isConnected) session.subscribe(this.#host);
    return (this.#last = session);
  }

  /** Whether only one reader is allowed to see the host's content. */
  get isPrivate(): boolean {
    return !!this.provider || this.reader !== undefined || !!this.#last?.isPrivate;
  }

  /** Returns whether the provider has changed. */
  setProvider(provider: TokenProvider | undefined): boolean {
    if (keyOf(provider) === keyOf(this.provider)) return false;
    this.provider = provider;
    if (!provider) this.#sessionWith(this.#usedProvider).forgetToken();
    clearTimeout(this.#timer);
    const waitMs = (this.#joined?.calledAt ?? -Infinity) + MIN_PROVIDER_MS - Date.now();
    if (provider && waitMs > 0) {
      warnOnce('tokenProvider changes on every render; define the function once');
      this.#timer = setTimeout(() => void this.#useProvider(), waitMs);
    } else void this.#useProvider();
    return true;
  }

  /** Returns whether the reader has changed. */
  setReader(reader: string | undefined): boolean {
    if (reader === this.reader) return false;
    this.reader = reader;
    this.startOver();
    return true;
  }

  /** Joins the session even if no request was sent, as with server-rendered content. */
  hostUpdated(): void {
    if (this.#usedProvider && this.#host._hasData) this.join();
  }

  hostDisconnected(): void {
    // If the element is only being moved, it is connected again by the time the microtask runs.
    queueMicrotask(() => {
      if (this.#host.isConnected) return;
      if (this.provider || this.reader !== undefined) this.startOver();
      else this.#leave();
    });
  }

  /** Discards all requested data. The next request calls the provider that was set last. */
  startOver(): void {
    this.#leave();
    clearTimeout(this.#timer);
    this.#usedProvider = this.provider;
    this.#host._onReaderChange();
  }

  async #useProvider(): Promise<void> {
    const { provider } = this;
    const isFirst = !this.#usedProvider;
    const before = this.#joined;
    this.#usedProvider = provider;
    // Nothing was requested. Server-rendered content belongs to the first provider's reader.
    if (!before) return;
    const oldToken = before.lastToken;
    if (!provider || !this.#host._hasData || (!isFirst && !oldToken)) return this.startOver();
    const session = this.join();
    const token = await session.token();
    if (session !== this.#joined) return;
    if (!token?.ok) this.#host._onReaderChange(token);
    else if (oldToken && token.reader !== oldToken.reader) this.#host._onReaderChange();
    else if (token.text !== oldToken?.text) this.#host._onTokenChange();
  }

  /** The session that the host is subscribed to. */
  get #joined(): ReaderSession | undefined {
    return this.#last?.hasSubscriber(this.#host) ? this.#last : undefined;
  }

  #sessionWith(tokenProvider: TokenProvider | undefined): ReaderSession {
    return sessionFor({ baseUrl: this.#host._bff, tokenProvider, reader: this.reader });
  }

  #leave(): void {
    this.#last?.unsubscribe(this.#host);
  }
}
