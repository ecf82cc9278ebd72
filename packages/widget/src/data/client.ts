import { adviceOf, bffCodeOf } from './parse-pulse.ts';
import { fetchForPrint, printing } from './print-request.ts';
import type { RecentLoad } from './recent-loads.ts';
import { type Failure, failureOf, retryAfterMsOf } from './result.ts';
import { type Token, TokenCache, type TokenProvider } from './token-cache.ts';

/** Longer than the BFF needs to try both of its hosts. */
const TIMEOUT_MS = 15_000;

/** The result of a request: a body, which is a `Blob` if it is a chart, or the reason why there is none. */
export interface Answer {
  readonly body?: unknown;
  readonly failure?: Failure;
}

/** How data is requested. */
export interface RequestOptions {
  /** Has the browser check its cached answer. */
  readonly revalidate: boolean;
  /** Aborted where the answer is of no use any more. */
  readonly signal: AbortSignal;
}

/** The BFF that a client asks, and the reader it asks for. */
export interface ClientOptions {
  /** The address of the BFF, absolute or of the page's origin, without a slash at its end. */
  readonly baseUrl: string;
  readonly tokenProvider?: TokenProvider | undefined;
  /** The reader, as the page names it; no two readers share anything. */
  readonly reader?: string | undefined;
}

/** One that holds a client: what it shows was loaded with it. */
export interface ClientHolder {
  /** Whether it shows something. */
  readonly hasData: () => boolean;
  /** Called when who reads is another from now on, or nobody any more. */
  readonly onReaderChange: (failure?: Failure) => void;
}

/** One BFF as the elements of a page see it that have the same reader and the same tokens, or none. */
export class BffClient {
  readonly holders: Set<ClientHolder> = new Set();
  /** The last request for each source, which further cards can share. */
  readonly loads: Map<string, RecentLoad> = new Map();
  readonly tokens: TokenCache | undefined;
  /** Whether the last answer with data was `private`. */
  isPrivate = false;
  readonly #baseUrl: string;
  readonly #reader: string | undefined;

  constructor({ baseUrl, tokenProvider, reader }: ClientOptions) {
    this.#baseUrl = baseUrl;
    this.#reader = reader;
    this.tokens = tokenProvider && new TokenCache(tokenProvider, () => this.changeReader());
  }

  /** Requests data, with a token where one is needed; one that is refused is renewed once. Never rejects. */
  async request(path: string, { revalidate, signal }: RequestOptions): Promise<Answer> {
    const init = { cache: revalidate ? 'no-cache' : 'default', signal } as const;
    try {
      const token = await this.tokens?.get();
      const answer = await this.#send(path, init, token);
      if (!token?.ok) return answer;
      const isRefused = answer.failure?.status === 401;
      if (isRefused) this.tokens?.drop(token);
      // An answer for another reader is discarded.
      else if (token.reader === this.tokens?.last?.reader) return answer;
      return await this.#send(path, init, await this.tokens?.get());
    } catch (cause) {
      return { failure: { ...failureOf((cause as Error).name === 'TimeoutError' ? 'timeout' : 'network', 0), cause } };
    }
  }

  /** Removes what the holders show; with `failure`, that is what they show instead. */
  changeReader(failure?: Failure): void {
    this.loads.clear();
    for (const holder of this.holders) if (failure ?? holder.hasData()) holder.onReaderChange(failure);
  }

  async #send(path: string, init: RequestInit & { signal: AbortSignal }, token?: Token | Failure): Promise<Answer> {
    if (token?.ok === false) return { failure: token };
    const refusal = token && audienceFailure(token, this.#baseUrl);
    if (refusal) return { failure: refusal };
    const signal = AbortSignal.any([init.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    // No token follows a redirect, which could lead to another host.
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

  /** Whether the BFF names a reader that is not the one that the page names. Without the header, it names none. */
  #isForAnother({ headers }: Response): boolean {
    const named = headers.get('Pulse-Reader');
    return named !== null && this.#reader !== undefined && !isSameReader(named, this.#reader);
  }
}

/** The failure of a card whose `reader` is not the reader that the BFF answers. */
const OTHER_READER: Failure = {
  ...failureOf('signed_out', 0),
  advice: 'another reader is signed in than the property reader says; set reader after each sign-in and sign-out',
};

/** Whether `encoded`, as the header has it, stands for `reader`, which pages without types can set to a number. */
function isSameReader(encoded: string, reader: string): boolean {
  try {
    return encodeURIComponent(decodeURIComponent(encoded)) === encodeURIComponent(reader);
  } catch {
    return false;
  }
}

/** A body that is late or cut off is another failure than one that is not JSON. */
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

/** Why `token` is not sent to `baseUrl`: it is for another address. An audience that is no address is up to the BFF. */
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

/** The client that all elements of the page with these options share; one that nobody holds is not kept. */
export function clientFor(options: ClientOptions): BffClient {
  return clients.get(options.tokenProvider ?? NO_TOKENS)?.get(keyOf(options)) ?? new BffClient(options);
}

/** Takes note that `holder` uses `client`, the one for `options`. */
export function holdClient(client: BffClient, options: ClientOptions, holder: ClientHolder): void {
  client.holders.add(holder);
  const provider = options.tokenProvider ?? NO_TOKENS;
  clients.set(provider, (clients.get(provider) ?? new Map<string, BffClient>()).set(keyOf(options), client));
}

/** Takes note that `holder` uses `client` no more; with its last holder its token is forgotten. */
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

/** Forgets the token that `provider` was made for, unless a client has it. */
export function freeProvider(provider: object): void {
  if (clients.has(provider)) return;
  for (const [token, known] of constantProviders) if (known === provider) constantProviders.delete(token);
}

const constantProviders = new Map<string, TokenProvider>();

/** The provider that always returns `token`; elements with the same token share it while one of them uses it. */
export function constantProvider(token: string): TokenProvider {
  const provider = constantProviders.get(token) ?? (() => token);
  constantProviders.set(token, provider);
  return provider;
}

function keyOf({ baseUrl, reader }: ClientOptions): string {
  return JSON.stringify([baseUrl, reader]);
}

/** Forgets the token of `tokenProvider`; what is shown stays until another reader's token comes. */
export function forgetToken(tokenProvider: TokenProvider): void {
  for (const client of clients.get(tokenProvider)?.values() ?? []) client.tokens?.forget();
}

/**
 * Forgets the tokens of all elements of the page, and what was shown with them; for the handler of a logout. The elements
 * are signed out until they are refreshed, have another reader, or the page is seen again.
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
