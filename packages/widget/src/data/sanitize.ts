/**
 * Characters that change how text reads without being visible: controls, bidi marks and overrides, zero-width spaces.
 * The joiners U+200C and U+200D stay, because Hindi, Persian, and emoji need them.
 */
const INVISIBLE = /(?![\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Returns `text` without invisible characters, shortened to `limit` UTF-16 code units. Shortened text ends with an
 * ellipsis.
 */
export function cleanText(text: string, limit: number): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return cut.replaceAll('\t', ' ').replace(INVISIBLE, '').trim();
}

/**
 * Matches an `https:` URL (`http:` on loopback) with a host, and without a user name, spaces, or backslashes. Browsers
 * can read other URLs in more than one way.
 */
const SAFE_URL =
  /^(https:\/\/(?=[^/?#])|http:\/\/(localhost|127(\.\d+){3}|\[::1\])(?=[:/]))[^\s\\/?#@]*([/?#][^\s\\]*)?$/i;

/** Returns `url` if browsers are allowed to load it, otherwise null. */
export function safeUrl(url: string): string | null {
  return SAFE_URL.test(url) ? url : null;
}

/** Returns `url` if a page is allowed to provide it: an address that browsers can load, or a PNG as a data URL. */
export function givenUrl(url: string): string | null {
  return /^data:image\/png;base64,[\w+/]+=*$/.test(url) ? url : safeUrl(url);
}

/** Whether `id` can be the id of a source or a run. Such an id doesn't need escaping in a path, a query, or a list. */
export function isId(id: unknown): id is string {
  return typeof id === 'string' && /^[\w~-][\w.~-]{0,127}$/.test(id);
}
