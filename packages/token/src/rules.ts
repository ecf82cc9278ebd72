import { isOrigin, isSourceId } from '@pulse-card/contract';

/** The limits of a token. Lengths are in characters. */
export const LIMITS = {
  /** The longest time from `iat` to `exp`, in seconds. */
  lifeSeconds: 600,
  /** How much the clocks of a minter and the BFF may differ, in seconds. Applies to `iat` and `exp`. */
  toleranceSeconds: 30,
  /** Enough for fifty long IDs, and short enough for the headers of a request. */
  length: 4_096,
  /** The longest `sub` that identifies the reader of a response. */
  reader: 256,
  /** The length of a shared secret in bytes is at least that of the hash (RFC 7518, 3.2). */
  minSecretBytes: 32,
} as const;

/** Claims that every token has. */
export const REQUIRED_CLAIMS: string[] = ['aud', 'iat', 'exp', 'jti', 'sources'];

/** The `typ` of every token, so that other kinds of tokens from the same issuer are rejected (RFC 8725, 3.11). */
export const TOKEN_TYPE = 'pulse-embed+jwt';

/** The characters that a `kid` or `jti` can have. */
export const TOKEN_ID: RegExp = /^[\x21-\x7e]{1,128}$/;

/** Whether `value` can be the `sources` of a token. An empty list is valid and allows nothing. */
export function areSources(value: unknown): value is '*' | readonly string[] {
  return value === '*' || (Array.isArray(value) && value.every(isSourceId));
}

/** Whether `value` can be the `origins` of a token: exact origins. */
export function areOrigins(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isOrigin);
}
