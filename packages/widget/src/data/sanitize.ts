/**
 * Matches an `https:` URL (`http:` on loopback) with a host, and without a username, spaces, or backslashes. Browsers
 * can interpret other URLs in more than one way.
 */
const SAFE_URL =
  /^(https:\/\/(?=[^/?#])|http:\/\/(localhost|127(\.\d+){3}|\[::1\])(?=[:/]))[^\s\\/?#@]*([/?#][^\s\\]*)?$/i;

/** Returns `url` if it is text that matches `pattern`, otherwise null. By default, browsers are allowed to load it. */
export function safeUrl(url: unknown, pattern: RegExp = SAFE_URL): string | null {
  return typeof url === 'string' && pattern.test(url) ? url : null;
}

/**
 * Returns `url` if pages are allowed to provide it: a URL that browsers are allowed to load, or a PNG as a data URL.
 */
export function givenUrl(url: unknown): string | null {
  return safeUrl(url) ?? safeUrl(url, /^data:image\/png;base64,[\w+/]+=*$/);
}

/** Whether `id` is a valid source or run ID. A valid ID doesn't need escaping in a path, a query, or a list. */
export function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[\w~-][\w.~-]{0,127}$/.test(id);
}
