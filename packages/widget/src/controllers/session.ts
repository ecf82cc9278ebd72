import type { ReactiveController, ReactiveControllerHost } from 'lit';
import {
  type BffClient,
  clientFor,
  type ClientHolder,
  type ClientOptions,
  forgetToken,
  freeProvider,
  holdClient,
  releaseClient,
} from '../data/client.ts';
import type { Failure } from '../data/result.ts';
import type { TokenProvider } from '../data/token-cache.ts';
import { warnOnce } from '../diagnostics/warn-once.ts';

/** A new provider is called immediately, but an element waits this long after it called the previous one. */
const MIN_PROVIDER_MS = 5_000;

/** The facts about an element's reader, and the callbacks when the reader may have changed. */
export interface SessionOptions {
  /** The address of the BFF. */
  readonly baseUrl: () => string;
  /** Whether the element shows data that was loaded for the reader. */
  readonly hasData: () => boolean;
  /** Called when the reader changes. The element must remove its content and drop requests that are under way. */
  readonly onReaderChange: (failure?: Failure) => void;
  /** Called when the same reader has a different token, which may grant different rights. */
  readonly onTokenChange: () => void;
}

/** Keeps the token provider and the reader of its host, and the client for both. */
export class SessionController implements ReactiveController, ClientHolder {
  /** The provider that the page set last. */
  provider: TokenProvider | undefined;
  reader: string | undefined;
  readonly #host: ReactiveControllerHost & { readonly isConnected: boolean };
  readonly #options: SessionOptions;
  /** The provider in use. */
  #usedProvider: TokenProvider | undefined;
  /** The time of its first call, in milliseconds since 1970. */
  #usedAt = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #held: { readonly client: BffClient; readonly options: ClientOptions } | undefined;
  /** The client of the last request. */
  #last: BffClient | undefined;

  constructor(host: ReactiveControllerHost & { readonly isConnected: boolean }, options: SessionOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  /** The client for a request that is sent now. */
  get client(): BffClient {
    if (this.#usedAt === -Infinity) this.#usedAt = Date.now();
    return (this.#last = this.#clientNow());
  }

  /** Whether the content of the host is for one reader only. */
  get isPrivate(): boolean {
    return !!this.provider || this.reader !== undefined || !!this.#last?.isPrivate;
  }

  setProvider(provider: TokenProvider | undefined): void {
    const before = this.provider;
    if (provider === before) return;
    this.provider = provider;
    if (!provider && before) forgetToken(before);
    if (before) freeProvider(before);
    const waitMs = this.#usedAt + MIN_PROVIDER_MS - Date.now();
    if (!provider || !this.#usedProvider || waitMs <= 0) return void this.#useProvider();
    warnOnce('tokenProvider changes at every render; define the function once');
    this.#timer ??= setTimeout(() => void this.#useProvider(), waitMs);
  }

  setReader(reader: string | undefined): void {
    if (reader === this.reader) return;
    this.reader = reader;
    this.startOver();
  }

  /** Holds the client of server-rendered content, too. */
  hostUpdated(): void {
    if (this.#usedProvider && !this.#held && this.#options.hasData()) this.#clientNow();
  }

  hostDisconnected(): void {
    // An element that is only moved has been connected again by then.
    queueMicrotask(() => {
      if (this.#host.isConnected) return;
      if (this.provider ?? this.reader) this.startOver();
      else this.#release();
    });
  }

  readonly hasData = (): boolean => this.#options.hasData();

  readonly onReaderChange = (failure?: Failure): void => this.#options.onReaderChange(failure);

  /** Discards all requested data. The provider that was set last is called next. */
  startOver(): void {
    this.#release();
    this.#clearTimer();
    this.#usedProvider = this.provider;
    this.#usedAt = -Infinity;
    this.#options.onReaderChange();
  }

  async #useProvider(): Promise<void> {
    const { last: before } = this.#held?.client.tokens ?? {};
    const isUsed = this.#usedAt !== -Infinity;
    const isFirst = !isUsed && !this.#usedProvider;
    this.#clearTimer();
    this.#usedProvider = this.provider;
    this.#usedAt = -Infinity;
    const hasData = this.#options.hasData();
    // A server-rendered pulse belongs to the first provider's reader.
    if (isFirst || (!isUsed && !hasData)) return;
    if (!isUsed || !this.provider || !hasData) return this.startOver();
    const { client } = this;
    const token = await client.tokens?.get();
    if (client !== this.#held?.client) return;
    if (!token?.ok) this.#options.onReaderChange(token);
    else if (before && token.reader !== before.reader) this.#options.onReaderChange();
    else if (token.text !== before?.text) this.#options.onTokenChange();
  }

  #clientNow(): BffClient {
    const options = { baseUrl: this.#options.baseUrl(), tokenProvider: this.#usedProvider, reader: this.reader };
    const client = clientFor(options);
    if (client === this.#held?.client) return client;
    this.#release();
    if (!this.#host.isConnected) return client;
    this.#held = { client, options };
    holdClient(client, options, this);
    return client;
  }

  #release(): void {
    if (this.#held) releaseClient(this.#held.client, this.#held.options, this);
    this.#held = undefined;
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
