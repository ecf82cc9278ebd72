const MAX_LENGTH = 2_048;

/**
 * The canonical form of an address that a browser may be sent to, or null: `https:` only (`http:` for loopback),
 * absolute, no user name, no blanks, control characters or backslashes.
 */
export function safeUrl(raw: string): string | null {
  if (raw.length > MAX_LENGTH || !/^https?:\/\/[^\s\p{Cc}\\]+$/iu.test(raw) || !URL.canParse(raw)) return null;
  const { protocol, username, password, hostname, href } = new URL(raw);
  if (username || password) return null;
  return protocol === 'https:' || /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname) ? href : null;
}
