import { bffCodeOf } from './parse-pulse.ts';
import { type Failure, failureOf, retryAfterMsOf } from './result.ts';
import { forgetConstant, TokenCache, type TokenProvider } from './token-cache.ts';

/** Longer than the BFF needs to try both of its hosts. */
const TIMEOUT_MS = 15_000;

/** What came back for a request: a body, or the reason why there is none. */
export interface Answer {
  readonly body?: unknown;
  readonly failure?: Failure;
}

/** How data is requested. */
export interface RequestOptions {
  /** Has the browser check its cached answer. */
  readonly revalidate: boolean;
  readonly signal: AbortSignal;
}

/** One BFF as the elements of a page see it that use the same tokens, or none. */
export class Bff {
  readonly #baseUrl: string;
  readonly #tokens: TokenCache | undefined;

  constructor(baseUrl: string, tokenProvider: TokenProvider | undefined) {
    this.#baseUrl = baseUrl;
    this.#tokens = tokenProvider && new TokenCache(tokenProvider);
  }

  /** Requests data; `revalidate` has the browser check its cached answer. Never rejects. */
  async request(path: string, { revalidate, signal }: RequestOptions): Promise<Answer> {
    try {
      const cache = revalidate ? 'no-cache' : 'default';
      const init = { cache, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) } as const;
      const response = await this.fetch(path, init);
      const body = (await response.json().catch(ignoreSyntaxError)) as unknown;
      if (response.ok) return { body };
      return { failure: { ...failureIn(body, response.status), retryAfterMs: retryAfterMsOf(response) } };
    } catch (error) {
      return { failure: failureOf((error as Error).name === 'TimeoutError' ? 'timeout' : 'network', 0) };
    }
  }

  /**
   * Fetches with a token where one is needed. A token that is refused is renewed once. No token follows a redirect, which
   * could lead to another host.
   */
  async fetch(path: string, init: RequestInit, isRetry = false): Promise<Response> {
    const url = this.#baseUrl + path;
    const token = this.#tokens?.get();
    if (!token) return fetch(url, init);
    const headers = { Authorization: `Bearer ${await token}` };
    const response = await fetch(url, { ...init, headers, redirect: 'error' });
    if (isRetry || response.status !== 401) return response;
    this.#tokens?.drop(token);
    return this.fetch(path, init, true);
  }
}

/** A body that is late or cut off is another failure than one that is not JSON. */
function ignoreSyntaxError(error: Error): void {
  if (error.name !== 'SyntaxError') throw error;
}

/** Where the body is not the BFF's, it is a proxy's, a login's or that of a wrong address. */
function failureIn(body: unknown, status: number): Failure {
  const foreignCode = status < 500 ? 'invalid_answer' : 'upstream_unavailable';
  return failureOf(bffCodeOf(body) ?? { 401: 'signed_out', 429: 'rate_limited' }[status] ?? foreignCode, status);
}

const NO_TOKENS = {};
const bffs = new WeakMap<object, Map<string, Bff>>();

/** The BFF at `baseUrl`, shared by all elements of the page with the same `tokenProvider`. */
export function bffAt(baseUrl: string, tokenProvider: TokenProvider | undefined): Bff {
  const key = tokenProvider ?? NO_TOKENS;
  const byUrl = bffs.get(key) ?? new Map<string, Bff>();
  const bff = byUrl.get(baseUrl) ?? new Bff(baseUrl, tokenProvider);
  bffs.set(key, byUrl.set(baseUrl, bff));
  return bff;
}

/** Forgets the tokens of `tokenProvider`. */
export function forgetTokens(tokenProvider: TokenProvider): void {
  bffs.delete(tokenProvider);
  forgetConstant(tokenProvider);
}
