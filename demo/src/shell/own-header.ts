import { STUDIO_URL } from './studio-url.ts';

const API = new URL('api/', STUDIO_URL).href;

/**
 * Sends `X-Pulse-Studio` with every request for the Studio's data, including those of its cards. The BFF rejects
 * requests without this header, because a page on a different origin can't set it.
 */
export function sendOwnHeader(): void {
  const realFetch = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : new URL(input, location.href).href;
    if (!url.startsWith(API)) return realFetch(input, init);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    headers.set('X-Pulse-Studio', '1');
    return realFetch(input, { ...init, headers });
  };
}
