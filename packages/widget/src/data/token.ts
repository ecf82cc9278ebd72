import { absoluteUrl } from '../base-url.ts';
import { type Failure, failureOf } from './result.ts';

/** Returns a token for private pulses, or a promise of a token. */
export type TokenProvider = () => string | Promise<string>;

/** The parts of a token that the card reads. Only the BFF verifies the token. */
export interface Token {
  readonly ok: true;
  readonly text: string;
  /** The token's reader: its `sub`, or the whole token if there is none. */
  readonly reader: string;
  readonly sub: string | undefined;
  /** The token's `aud`: the BFFs that it is intended for. */
  readonly audiences: readonly unknown[];
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

const PROVIDER_TIMEOUT_MS = 10_000;

/** Calls `provider` and parses its token. Never rejects. */
export async function requestToken(provider: TokenProvider): Promise<Token | Failure> {
  if (typeof provider !== 'function')
    return { ...failureOf('token_missing', 0), advice: `tokenProvider is a ${typeof provider}; set a function` };
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new DOMException('late', 'TimeoutError')), PROVIDER_TIMEOUT_MS);
  });
  try {
    return parseToken(await Promise.race([provider(), timeout]));
  } catch (error) {
    return providerFailure(error);
  }
}

/**
 * The failure if a provider threw an error. It is `signed_out` after a 401 or 403, or if the provider received a login
 * page instead of JSON.
 */
function providerFailure(cause: unknown): Failure {
  const { status, name } = (cause ?? {}) as { status?: unknown; name?: unknown };
  const advice = `tokenProvider failed: ${cause instanceof Error ? cause.message : `status ${String(status)}`}`;
  if (status === 401 || status === 403) return { ...failureOf('signed_out', status), cause, advice };
  const code = name === 'TimeoutError' ? 'timeout' : name === 'SyntaxError' ? 'signed_out' : 'network';
  return { ...failureOf(code, 0), cause, advice };
}

function parseToken(text: string): Token | Failure {
  // If the provider received an HTML page instead of a token, the reader must sign in.
  if (/^\s*</.test(text)) return { ...failureOf('signed_out', 0), advice: 'tokenProvider returned a page' };
  try {
    const payload = (text.split('.')[1] as string).replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const { sub, aud, exp } = JSON.parse(new TextDecoder().decode(bytes)) as {
      sub?: unknown;
      aud?: unknown;
      exp: number;
    };
    const own = typeof sub === 'string' ? { sub, reader: `sub ${sub}` } : { sub: undefined, reader: text };
    return { ok: true, text, ...own, audiences: [aud].flat(), expiresAt: exp * 1_000 };
  } catch (cause) {
    return { ...failureOf('invalid_answer', 0), cause, advice: 'tokenProvider returned no token' };
  }
}

/** The failure if `token` is intended for a URL other than `baseUrl`. The BFF checks audiences that aren't URLs. */
export function audienceFailure({ audiences }: Token, baseUrl: string): Failure | undefined {
  const addresses = audiences.filter((audience) => typeof audience === 'string' && /^(https?:\/)?\//i.test(audience));
  if (!addresses[0] || addresses.some((address) => absoluteUrl(address as string) === absoluteUrl(baseUrl)))
    return undefined;
  const advice = `The token is for ${addresses.join()}, so it isn’t sent to ${baseUrl}; set base-url`;
  return { ...failureOf('token_invalid', 0), advice };
}

/** The keys of providers that return a constant token. */
const keys = new WeakMap<TokenProvider, string>();

/** How many times the page has forgotten its tokens. */
let timesForgotten = 0;

/** A provider that always returns `token`, until the page forgets its tokens. */
export function constantProvider(token: string): TokenProvider {
  const times = timesForgotten;
  const provider = (): string => {
    if (times !== timesForgotten)
      throw Object.assign(new Error('forgetTokens() was called; set token'), { status: 401 });
    return token;
  };
  keys.set(provider, `${times} ${token}`);
  return provider;
}

/** Identifies a provider. Providers with the same constant token have the same key, so that elements share the token. */
export function keyOf(provider: TokenProvider | undefined): unknown {
  return (provider && keys.get(provider)) ?? provider;
}

/** Makes all constant providers fail, even those of elements that aren't on the page. */
export function forgetConstantProviders(): void {
  timesForgotten++;
}
