import { adviceOf, bffCodeOf } from './parse-pulse.ts';
import { fetchForPrint, printing } from './print-request.ts';
import type { RecentLoad } from './recent-loads.ts';
import { type Failure, failureOf, retryAfterMsOf } from './result.ts';
import { type Token, TokenCache, type TokenProvider } from './token-cache.ts';

/** Longer than the BFF needs to try both of its hosts. */
const TIMEOUT_MS = 15_000;

/** The result of a request: a body (a `Blob` if it is a chart) or a failure. */
export interface Answer {
  readonly body?: unknown;
  readonly failure?: Failure;
}

/** How data is requested. */
export interface RequestOptions {
  /** Makes the browser revalidate its cached response. */
  readonly revalidate: boolean;
  /** Aborted when the response is no longer needed. */
  readonly signal: AbortSignal;
}

/** The BFF that a client calls, and the reader that it calls for. */
export interface ClientOptions {
  /** The address of the BFF, without a slash at its end. It may be relative to the page. */
  readonly baseUrl: string;
  readonly tokenProvider?: TokenProvider | undefined;
  /** The reader that the page names. Two readers never share anything. */
  readonly reader?: string | undefined;
}

/** A holder of a client, which shows data that the client has loaded. */
export interface ClientHolder {
  /** Whether the holder shows data. */
  readonly hasData: () => boolean;
  /** Called when the reader has changed or has signed out. */
  readonly onReaderChange: (failure?: Failure) => void;
}

/** The client for one BFF, token provider, and reader. All elements of a page with these options share it. */
export class BffClient {
  readonly holders: Set<ClientHolder> = new Set();
  /** The last request for each source, which more cards can share. */
  readonly loads: Map<string, RecentLoad> = new Map();
  readonly tokens: TokenCache | undefined;
  /** Whether the last response with data was `private`. */
  isPrivate = false;
  readonly #baseUrl: string;
  readonly #reader: string | undefined;

  constructor({ baseUrl, tokenProvider, reader }: ClientOptions) {
    this.#baseUrl = baseUrl;
    this.#reader = reader;
    this.tokens = tokenProvider && new TokenCache(tokenProvider, () => this.changeReader());
  }

  /** Requests data, with a token if there is a provider. A token that is refused is renewed once. Never rejects. */
  async request(path: string, { revalidate, signal }: RequestOptions): Promise<Answer> {
    const init = { cache: revalidate ? 'no-cache' : 'default', signal } as const;
    try {
      const token = await this.tokens?.get();
      const answer = await this.#send(path, init, token);
      if (!token?.ok) return answer;
      const isRefused = answer.failure?.status === 401;
      if (isRefused) this.tokens?.drop(token);
      // A response for a different reader is discarded.
      else if (token.reader === this.tokens?.last?.reader) return answer;
      return await this.#send(path, init, await this.tokens?.get());
    } catch (cause) {
      return { failure: { ...failureOf((cause as Error).name === 'TimeoutError' ? 'timeout' : 'network', 0), cause } };
    }
  }

  /** Removes the content of the holders. If there is a `failure`, they show it instead. */
  changeReader(failure?: Failure): void {
    this.loads.clear();
    for (const holder of this.holders) if (failure ?? holder.hasData()) holder.onReaderChange(failure);
  }

  async #send(path: string, init: RequestInit & { signal: AbortSignal }, token?: Token | Failure): Promise<Answer> {
    if (token?.ok === false) return { failure: token };
    const refusal = token && audienceFailure(token, this.#baseUrl);
    if (refusal) return { failure: refusal };
    const signal = AbortSignal.any([init.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    // A redirect could lead to a different host, so a request with a token doesn't follow it.
    const withToken = token && ({ headers: { Authorization: `Bearer ${token.text}` }, redirect: 'error' } as const);
    const url = this.#baseUrl + path;
    const printed = printing.isStarting && !token ? fetchForPrint(url) : undefined;
    const response = printed ?? (await fetch(url, { ...init, ...withToken, signal }));
    if (this.#isForAnother(response)) {
      this.changeReader(OTHER_READER);
      return { failure: OTHER_READER };
    }
    if (response.ok) this.isPrivate = /\bprivate\b/i.test(response.headers.get('Cache-Control') ?? '');
    if (response.ok && response.headers.get('Content-Type')?.startsWith('image/'))
      return { body: await response.blob() };
    const body = (await response.json().catch(ignoreSyntaxError)) as unknown;
    if (response.ok) return { body };
    return { failure: { ...failureIn(body, response.status), retryAfterMs: retryAfterMsOf(response) } };
  }

  /** Whether the BFF names a different reader than the page. */
  #isForAnother({ headers }: Response): boolean {
    const named = headers.get('Pulse-Reader');
    return named !== null && this.#reader !== undefined && !isSameReader(named, this.#reader);
  }
}

/** The failure of a card whose `reader` is not the reader that the BFF names. */
const OTHER_READER: Failure = {
  ...failureOf('signed_out', 0),
  advice: 'another reader is signed in than the property reader says; set reader after each sign-in and sign-out',
};

/** Whether the header's value `encoded` is `reader`. Pages without types can set `reader` to a number. */
function isSameReader(encoded: string, reader: string): boolean {
  try {
    return encodeURIComponent(decodeURIComponent(encoded)) === encodeURIComponent(reader);
  } catch {
    return false;
  }
}

/** Ignores a body that is not JSON. A body that is late or incomplete is a different failure. */
function ignoreSyntaxError(error: Error): void {
  if (error.name !== 'SyntaxError') throw error;
}

/** If the body is not the BFF's, it comes from a proxy, a login, or a wrong address. */
function failureIn(body: unknown, status: number): Failure {
  const code = bffCodeOf(body);
  if (code) return { ...failureOf(code, status), advice: adviceOf(body) };
  const foreignCode = status < 500 ? 'invalid_answer' : 'network';
  return failureOf({ 401: 'signed_out', 429: 'rate_limited' }[status] ?? foreignCode, status);
}

/** The failure if `token` is for a different address than `baseUrl`. The BFF checks audiences that are not addresses. */
function audienceFailure({ audiences }: Token, baseUrl: string): Failure | undefined {
  const addresses = audiences.filter((audience) => typeof audience === 'string' && /^(https?:\/)?\//i.test(audience));
  if (!addresses[0] || addresses.some((address) => absoluteUrl(address as string) === absoluteUrl(baseUrl)))
    return undefined;
  const advice = `The token is for ${addresses.join()}, so ${baseUrl} does not get it; set base-url`;
  return { ...failureOf('token_invalid', 0), advice };
}

/** `url` resolved against the page, without a slash at its end. */
export function absoluteUrl(url: string): string {
  const { href } = URL.canParse(url, globalThis.document?.baseURI)
    ? new URL(url, globalThis.document?.baseURI)
    : { href: url };
  return href.replace(/\/+$/, '');
}

const NO_TOKENS = {};
const clients = new Map<object, Map<string, BffClient>>();

/** The client that all elements of the page with these options share. A client without holders isn't kept. */
export function clientFor(options: ClientOptions): BffClient {
  return clients.get(options.tokenProvider ?? NO_TOKENS)?.get(keyOf(options)) ?? new BffClient(options);
}

/** Registers `holder` with `client`, the client for `options`. */
export function holdClient(client: BffClient, options: ClientOptions, holder: ClientHolder): void {
  client.holders.add(holder);
  const provider = options.tokenProvider ?? NO_TOKENS;
  clients.set(provider, (clients.get(provider) ?? new Map<string, BffClient>()).set(keyOf(options), client));
}

/** Removes `holder` from `client`. A client without holders is dropped, together with its token. */
export function releaseClient(client: BffClient, options: ClientOptions, holder: ClientHolder): void {
  client.holders.delete(holder);
  const provider = options.tokenProvider ?? NO_TOKENS;
  const byKey = clients.get(provider);
  if (client.holders.size > 0 || byKey?.get(keyOf(options)) !== client) return;
  byKey.delete(keyOf(options));
  if (byKey.size > 0) return;
  clients.delete(provider);
  freeProvider(provider);
}

/** Drops the token of a constant `provider`, unless a client uses it. */
export function freeProvider(provider: object): void {
  if (clients.has(provider)) return;
  for (const [token, known] of constantProviders) if (known === provider) constantProviders.delete(token);
}

const constantProviders = new Map<string, TokenProvider>();

/** The provider that always returns `token`. Elements with the same token share it while one of them uses it. */
export function constantProvider(token: string): TokenProvider {
  const provider = constantProviders.get(token) ?? (() => token);
  constantProviders.set(token, provider);
  return provider;
}

function keyOf({ baseUrl, reader }: ClientOptions): string {
  return JSON.stringify([baseUrl, reader]);
}

/** Drops the token of `tokenProvider`. Visible content stays until the token of a different reader arrives. */
export function forgetToken(tokenProvider: TokenProvider): void {
  for (const client of clients.get(tokenProvider)?.values() ?? []) client.tokens?.forget();
}

/**
 * Removes the tokens of all elements of the page, and the content that was loaded with them. Call it in your sign-out
 * handler. The elements are signed out until they are refreshed, have a different reader, or the page is shown again.
 */
export function forgetTokens(): void {
  const failure = {
    ...failureOf('signed_out', 0),
    advice: 'forgetTokens() was called; call refresh() after a sign-in',
  };
  for (const client of [...clients.values()].flatMap((byKey) => [...byKey.values()])) {
    if (!client.tokens) continue;
    client.tokens.forget();
    client.changeReader(failure);
  }
}
