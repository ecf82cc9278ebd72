import type { ReactiveController, ReactiveControllerHost } from 'lit';
import {
  dropUnusedProvider,
  forgetTokenOf,
  type ReaderSession,
  sessionFor,
  type SessionSubscriber,
} from '../data/reader-session.ts';
import type { Failure } from '../data/result.ts';
import type { TokenProvider } from '../data/token.ts';
import { warnOnce } from '../diagnostics/warn-once.ts';

/**
 * The shortest time between one element's calls to two different providers. Without an earlier call, a new provider is
 * called immediately.
 */
const MIN_PROVIDER_MS = 5_000;

/** The facts about an element's reader, and the callbacks when the reader may have changed. */
export interface SessionControllerOptions {
  /** The BFF's URL. */
  readonly baseUrl: () => string;
  /** Whether the element shows data that was loaded for the reader. */
  readonly hasData: () => boolean;
  /** Called when the reader changes. The element must remove its content and drop requests that are under way. */
  readonly onReaderChange: (failure?: Failure) => void;
  /** Called when the same reader has a different token, which can grant different rights. */
  readonly onTokenChange: () => void;
}

/** Keeps its host's token provider and reader, and the session that belongs to both. */
export class SessionController implements ReactiveController, SessionSubscriber {
  /** The provider that the page set last. */
  provider: TokenProvider | undefined;
  reader: string | undefined;
  readonly #host: ReactiveControllerHost & { readonly isConnected: boolean };
  readonly #options: SessionControllerOptions;
  #usedProvider: TokenProvider | undefined;
  /** The time of the first call to the provider in use, in milliseconds since 1970. */
  #usedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the session has ended. The next provider is then used immediately. */
  #isSignedOut = false;
  /** The session that the host has subscribed to. */
  #session: ReaderSession | undefined;
  #unsubscribe: (() => void) | undefined;
  /** The session of the last request. */
  #last: ReaderSession | undefined;

  constructor(host: ReactiveControllerHost & { readonly isConnected: boolean }, options: SessionControllerOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  /** The session for a request that is sent now. */
  get current(): ReaderSession {
    if (this.#usedAt === -Infinity) this.#usedAt = Date.now();
    return (this.#last = this.#join());
  }

  /** Whether the host's content is for one reader only. */
  get isPrivate(): boolean {
    return !!this.provider || this.reader !== undefined || !!this.#last?.isPrivate;
  }

  /** Returns whether the provider is a different one. */
  setProvider(provider: TokenProvider | undefined): boolean {
    const before = this.provider;
    if (provider === before) return false;
    this.provider = provider;
    if (before) (provider ? dropUnusedProvider : forgetTokenOf)(before);
    const waitMs = this.#usedAt + MIN_PROVIDER_MS - Date.now();
    if (!provider || !this.#usedProvider || waitMs <= 0 || this.#isSignedOut) void this.#useProvider();
    else {
      warnOnce('tokenProvider changes on every render; define the function once');
      this.#timer ??= setTimeout(() => void this.#useProvider(), waitMs);
    }
    return true;
  }

  /** Returns whether the reader is a different one. */
  setReader(reader: string | undefined): boolean {
    if (reader === this.reader) return false;
    this.reader = reader;
    this.startOver();
    return true;
  }

  /** Joins the session even if no request was sent, as for server-rendered content. */
  hostUpdated(): void {
    if (this.#usedProvider && !this.#session && this.#options.hasData()) this.#join();
  }

  hostDisconnected(): void {
    // If the element is only moved, it is already connected again when the microtask runs.
    queueMicrotask(() => {
      if (this.#host.isConnected) return;
      if (this.provider || this.reader !== undefined) this.startOver();
      else this.#leave();
    });
  }

  readonly hasData = (): boolean => this.#options.hasData();

  readonly onReaderChange = (failure?: Failure): void => {
    this.#isSignedOut = !!failure;
    this.#options.onReaderChange(failure);
  };

  /** Discards all requested data. The next request calls the provider that was set last. */
  startOver(): void {
    this.#leave();
    this.#clearTimer();
    this.#isSignedOut = false;
    this.#usedProvider = this.provider;
    this.#usedAt = -Infinity;
    this.#options.onReaderChange();
  }

  async #useProvider(): Promise<void> {
    const before = this.#session?.lastToken;
    const isUsed = this.#usedAt !== -Infinity;
    const isFirst = !isUsed && !this.#usedProvider;
    this.#clearTimer();
    this.#usedProvider = this.provider;
    this.#usedAt = -Infinity;
    const hasData = this.#options.hasData();
    // A server-rendered pulse belongs to the first provider's reader.
    if (isFirst || (!isUsed && !hasData)) return;
    if (!isUsed || !this.provider || !hasData) return this.startOver();
    const { current: session } = this;
    const token = await session.token();
    if (session !== this.#session) return;
    if (!token?.ok) this.#options.onReaderChange(token);
    else if (before && token.reader !== before.reader) this.#options.onReaderChange();
    else if (token.text !== before?.text) this.#options.onTokenChange();
  }

  /** Subscribes to the session for the current provider and reader. */
  #join(): ReaderSession {
    const baseUrl = this.#options.baseUrl();
    const session = sessionFor({ baseUrl, tokenProvider: this.#usedProvider, reader: this.reader });
    if (session === this.#session) return session;
    this.#leave();
    if (!this.#host.isConnected) return session;
    this.#unsubscribe = session.subscribe(this);
    return (this.#session = session);
  }

  #leave(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = this.#session = undefined;
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
