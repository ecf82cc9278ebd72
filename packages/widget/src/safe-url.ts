/**
 * An address that an image may come from: `https:` (`http:` for loopback alone), with a host, without a user name,
 * blanks or backslashes. Browsers read anything else as something else.
 */
const SAFE = /^(https:\/\/(?=[^/?#])|http:\/\/(localhost|127(\.\d+){3}|\[::1\])(?=[:/]))[^\s\\/?#@]*([/?#][^\s\\]*)?$/i;

/** `raw` where a browser may be sent there, else null. */
export function safeUrl(raw: string): string | null {
  return SAFE.test(raw) ? raw : null;
}
