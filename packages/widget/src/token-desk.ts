/** Gives a token for private embeds, or a promise of one. */
export type TokenProvider = () => string | Promise<string>;

/** A token is renewed so long before its end: longer than a request is on its way. */
const AHEAD_MS = 10_000;

/** Where the elements of a page have the tokens for one BFF from. */
interface TokenDesk {
  provider: TokenProvider;
  /** The token in use, or on its way. */
  held?: Promise<string> | undefined;
}

/** By the address of the BFF, which the page writes: even `__proto__` is but a name here. */
const desks = Object.create(null) as Record<string, TokenDesk>;

/** Has `provider` asked for the tokens of all elements that ask the BFF at `base`; the last one that the page gives counts. */
export function provideTokens(base: string, provider: TokenProvider): void {
  (desks[base] ??= { provider }).provider = provider;
}

/** What a request for data consists of. */
type DataRequest = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/**
 * Fetches data of a BFF at `url`: with `own` for a token, else with the page's, where there is one. A token that the BFF refuses
 * is renewed once. No token follows a redirect: it may lead to another host. Rejects with the fault of the provider, too.
 */
export async function fetchData(url: string, init: DataRequest, isLast = false): Promise<Response> {
  const desk = desks[url.replace(/\/v1\/[^/]*$/, '')];
  if (!desk) return fetch(url, init);
  const held = (desk.held ??= ask(desk));
  const headers = { ...init.headers, Authorization: `Bearer ${await held}` };
  const response = await fetch(url, { ...init, headers, redirect: 'error' });
  if (isLast || response.status !== 401) return response;
  if (desk.held === held) desk.held = undefined;
  return fetchData(url, init, true);
}

async function ask(desk: TokenDesk): Promise<string> {
  let forMs: number | undefined;
  try {
    const token = await desk.provider();
    // One character for both that base64 has not: what they stand for is in no number.
    const claims = JSON.parse(atob((token.split('.')[1] as string).replace(/[-_]/g, '/'))) as { exp: number };
    forMs = claims.exp * 1_000 - AHEAD_MS - Date.now();
    return token;
  } finally {
    setTimeout(() => (desk.held = undefined), forMs);
  }
}
