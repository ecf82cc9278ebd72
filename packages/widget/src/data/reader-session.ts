import type { RecentLoad } from './recent-loads.ts';
import { type Answer, isForAnother, readResponse } from './response.ts';
import { type Failure, failureOf } from './result.ts';
import {
  audienceFailure,
  forgetConstantProviders,
  keyOf,
  requestToken,
  type Token,
  type TokenProvider,
} from './token.ts';

/** The timeout for a request. The BFF responds within this time, even if it has to try both of the service's hosts. */
const TIMEOUT_MS = 15_000;

/** How long before its expiration a token is renewed. A request takes less time than this. */
const RENEW_BEFORE_MS = 10_000;

/** Options for requesting data. */
export interface RequestOptions {
  /** Makes the browser revalidate its cached response. */
  readonly revalidate: boolean;
  /** Aborted when the response is no longer needed. */
  readonly signal: AbortSignal;
}

/** The BFF and the reader that a session sends requests for. */
export interface SessionOptions {
  /** The BFF's URL, without a trailing slash. The URL can be relative to the page. */
  readonly baseUrl: string;
  readonly tokenProvider?: TokenProvider | undefined;
  /** The reader that the page specifies. Elements with different readers never share data. */
  readonly reader?: string | undefined;
}

/** An element that shows a session's data. */
export interface SessionSubscriber {
  /** Whether the element shows data. */
  readonly hasData: () => boolean;
  /** Called when the reader has changed or has signed out. */
  readonly onReaderChange: (failure?: Failure) => void;
}

/** The failure for a card whose `reader` isn't the reader in the BFF's response. */
const OTHER_READER: Failure = {
  ...failureOf('signed_out', 0),
  advice: 'the reader property doesn’t match the signed-in reader; set it after each sign-in and sign-out',
};

/** The sessions that have subscribers. */
const sessions = new Set<ReaderSession>();

/**
 * The session for one BFF, token provider, and reader. All elements on a page with the same options share the session's
 * token and requests.
 */
export class ReaderSession {
  /** The last request for each source, which other cards can share. */
  readonly loads: Map<string, RecentLoad> = new Map();
  /** Whether the last response with data had `Cache-Control: private`. */
  isPrivate = false;
  /** The last token received, valid or not. */
  lastToken: Token | undefined;
  readonly #options: SessionOptions;
  readonly #subscribers = new Set<SessionSubscriber>();
  #isTokenValid = false;
  #renewal: Promise<Token | Failure> | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get tokenProvider(): TokenProvider | undefined {
    return this.#options.tokenProvider;
  }

  isFor({ baseUrl, tokenProvider, reader }: SessionOptions): boolean {
    const own = this.#options;
    return baseUrl === own.baseUrl && keyOf(tokenProvider) === keyOf(own.tokenProvider) && reader === own.reader;
  }

  /** Keeps the session until `unsubscribe` is called. */
  subscribe(subscriber: SessionSubscriber): void {
    this.#subscribers.add(subscriber);
    sessions.add(this);
  }

  /** A session without subscribers is dropped, together with its token. */
  unsubscribe(subscriber: SessionSubscriber): void {
    this.#subscribers.delete(subscriber);
    if (!this.#subscribers.size) sessions.delete(this);
  }

  /**
   * Requests data, with a token if there is a provider. If the token is rejected, renews it once. Never rejects.
   */
  async request(path: string, { revalidate, signal }: RequestOptions): Promise<Answer> {
    const init = { cache: revalidate ? 'no-cache' : 'default', signal } as const;
    try {
      const token = await this.token();
      const answer = await this.#send(path, init, token);
      if (!token?.ok) return answer;
      const isRefused = answer.failure?.status === 401;
      if (isRefused && token === this.lastToken) this.#isTokenValid = false;
      // A response for a different reader is discarded.
      if (!isRefused && token.reader === this.lastToken?.reader) return answer;
      return await this.#send(path, init, await this.token());
    } catch (cause) {
      return { failure: { ...failureOf((cause as Error).name === 'TimeoutError' ? 'timeout' : 'network', 0), cause } };
    }
  }

  /** The token, or a failure; undefined without a provider. The token is shared until shortly before it expires. */
  token(): Promise<Token | Failure> | undefined {
    const { tokenProvider, lastToken } = this;
    const isFresh = this.#isTokenValid && lastToken && Date.now() < lastToken.expiresAt - RENEW_BEFORE_MS;
    if (isFresh) return Promise.resolve(lastToken);
    return tokenProvider && (this.#renewal ??= this.#renew(tokenProvider));
  }

  /** Causes the next request to call the provider again. */
  forgetToken(): void {
    this.#isTokenValid = false;
    this.#renewal = undefined;
  }

  /** Removes the subscribers' content. If `failure` is given, shows it instead. */
  changeReader(failure?: Failure): void {
    this.loads.clear();
    for (const subscriber of this.#subscribers) if (failure ?? subscriber.hasData()) subscriber.onReaderChange(failure);
  }

  #renew(provider: TokenProvider): Promise<Token | Failure> {
    const renewal: Promise<Token | Failure> = requestToken(provider).then((token) => {
      // The token was dropped before it arrived. A dropped token can belong to a reader who has signed out.
      if (this.#renewal !== renewal) return this.token() as Promise<Token | Failure>;
      this.#renewal = undefined;
      if (token.ok) this.#store(token);
      return token;
    });
    return renewal;
  }

  #store(token: Token): void {
    const before = this.lastToken;
    this.lastToken = token;
    this.#isTokenValid = true;
    if (before && before.reader !== token.reader) this.changeReader();
  }

  async #send(path: string, init: RequestInit & { signal: AbortSignal }, token?: Token | Failure): Promise<Answer> {
    if (token?.ok === false) return { failure: token };
    const { baseUrl, reader } = this.#options;
    const refusal = token && audienceFailure(token, baseUrl);
    if (refusal) return { failure: refusal };
    const signal = AbortSignal.any([init.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    // A redirect could lead to a different host, so a request with a token doesn't follow it.
    const withToken = token && ({ headers: { Authorization: `Bearer ${token.text}` }, redirect: 'error' } as const);
    const response = await fetch(baseUrl + path, { ...init, ...withToken, signal });
    // The header identifies the token's reader.
    if (isForAnother(response, token?.sub ?? reader)) {
      this.changeReader(OTHER_READER);
      return { failure: OTHER_READER };
    }
    if (response.ok) this.isPrivate = /\bprivate\b/i.test(response.headers.get('Cache-Control') ?? '');
    const answer = await readResponse(response);
    // Elements added later don't show anything from a session that has ended.
    if (answer.failure?.code === 'signed_out') this.loads.clear();
    return answer;
  }
}

/** The session with these options, which is created if no element has subscribed to it yet. */
export function sessionFor(options: SessionOptions): ReaderSession {
  return [...sessions].find((session) => session.isFor(options)) ?? new ReaderSession(options);
}

/**
 * Removes the tokens of all elements on the page, and the content that was loaded with them. Call this function in your
 * sign-out handler. The elements stay signed out until they are refreshed, their reader changes, or the page is shown
 * again.
 */
export function forgetTokens(): void {
  forgetConstantProviders();
  const failure = failureOf('signed_out', 0);
  for (const session of [...sessions].filter(({ tokenProvider }) => tokenProvider)) {
    session.forgetToken();
    session.changeReader(failure);
  }
}
