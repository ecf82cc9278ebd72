import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { type ReaderSession, sessionFor, type SessionSubscriber } from '../data/reader-session.ts';
import type { Failure } from '../data/result.ts';
import { keyOf, type TokenProvider } from '../data/token.ts';
import { warnOnce } from '../diagnostics/warn-once.ts';

/**
 * The minimum time between an element's calls to two different providers. If it hasn't called one yet, a new provider
 * is used immediately.
 */
const MIN_PROVIDER_MS = 5_000;

/** An element whose content depends on the reader. */
export interface SessionHost extends ReactiveControllerHost {
  readonly isConnected: boolean;
  /** The BFF's URL. */
  readonly _bff: string;
  /** Whether the element shows data that was loaded for the reader. */
  readonly _hasData: boolean;
  /** Called when the reader changes. The element must remove its content and drop requests in progress. */
  _onReaderChange(failure?: Failure): void;
  /** Called when the same reader has a different token, which can grant different permissions. */
  _onTokenChange(): void;
}

/** Manages its host's token provider and reader, and the session for both. */
export class SessionController implements ReactiveController, SessionSubscriber {
  /** The provider that the page set last. */
  provider: TokenProvider | undefined;
  reader: string | undefined;
  readonly #host: SessionHost;
  #usedProvider: TokenProvider | undefined;
  /** The time of the first call to the provider in use, in milliseconds since the Unix epoch. */
  #usedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The session that the host has subscribed to, or had subscribed to when it was removed from the page. */
  #session: ReaderSession | undefined;

  constructor(host: SessionHost) {
    this.#host = host;
    host.addController(this);
  }

  /** Joins and returns the session for a request that is sent now. */
  join(): ReaderSession {
    if (this.#usedAt === -Infinity) this.#usedAt = Date.now();
    return this.#subscribe();
  }

  /** Whether only one reader is allowed to see the host's content. */
  get isPrivate(): boolean {
    return !!this.provider || this.reader !== undefined || !!this.#session?.isPrivate;
  }

  /** Returns whether the provider has changed. */
  setProvider(provider: TokenProvider | undefined): boolean {
    const before = this.provider;
    if (keyOf(provider) === keyOf(before)) return false;
    this.provider = provider;
    if (!provider) this.#session?.forgetToken();
    const waitMs = this.#usedAt + MIN_PROVIDER_MS - Date.now();
    if (!provider || !this.#usedProvider || waitMs <= 0) void this.#useProvider();
    else {
      warnOnce('tokenProvider changes on every render; define the function once');
      this.#timer ??= setTimeout(() => void this.#useProvider(), waitMs);
    }
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
    if (this.#usedProvider && this.#host._hasData) this.#subscribe();
  }

  hostDisconnected(): void {
    // If the element is only being moved, it is connected again by the time the microtask runs.
    queueMicrotask(() => {
      if (this.#host.isConnected) return;
      if (this.provider || this.reader !== undefined) this.startOver();
      else this.#leave();
    });
  }

  readonly hasData = (): boolean => this.#host._hasData;

  readonly onReaderChange = (failure?: Failure): void => {
    // If the session has ended, the next provider is used immediately.
    if (failure) this.#usedAt = 0;
    this.#host._onReaderChange(failure);
  };

  /** Discards all requested data. The next request calls the provider that was set last. */
  startOver(): void {
    this.#leave();
    this.#session = undefined;
    this.#clearTimer();
    this.#usedProvider = this.provider;
    this.#usedAt = -Infinity;
    this.#host._onReaderChange();
  }

  async #useProvider(): Promise<void> {
    const before = this.#session?.lastToken;
    const isUsed = this.#usedAt !== -Infinity;
    const isFirst = !isUsed && !this.#usedProvider;
    this.#clearTimer();
    this.#usedProvider = this.provider;
    this.#usedAt = -Infinity;
    const hasData = this.#host._hasData;
    // A server-rendered pulse belongs to the first provider's reader.
    if (isFirst || (!isUsed && !hasData)) return;
    if (!isUsed || !this.provider || !hasData) return this.startOver();
    const session = this.join();
    const token = await session.token();
    if (session !== this.#session) return;
    if (!token?.ok) this.#host._onReaderChange(token);
    else if (before && token.reader !== before.reader) this.#host._onReaderChange();
    else if (token.text !== before?.text) this.#host._onTokenChange();
  }

  /** Subscribes to the session for the current provider and reader. */
  #subscribe(): ReaderSession {
    const baseUrl = this.#host._bff;
    const session = sessionFor({ baseUrl, tokenProvider: this.#usedProvider, reader: this.reader });
    if (session !== this.#session) this.#leave();
    if (!this.#host.isConnected) return session;
    session.subscribe(this);
    return (this.#session = session);
  }

  #leave(): void {
    this.#session?.unsubscribe(this);
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
