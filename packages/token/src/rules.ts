import { isOrigin, isSourceId } from '@pulse-card/contract';

/** Token limits. Lengths are in characters. */
export const LIMITS = {
  /** The longest time from `iat` to `exp`, in seconds. */
  lifeSeconds: 600,
  /** How much the minter's and the BFF's clocks may differ, in seconds. Applies to `iat` and `exp`. */
  toleranceSeconds: 30,
  /** Enough for fifty long IDs and short enough for a request's headers. */
  length: 4_096,
  /** The longest `sub` that identifies the reader of a response. */
  reader: 256,
  /** A shared secret must be at least as long as the hash, in bytes (RFC 7518, 3.2). */
  minSecretBytes: 32,
} as const;

/** Claims that every token contains. */
export const REQUIRED_CLAIMS: string[] = ['aud', 'iat', 'exp', 'jti', 'sources'];

/** The `typ` of every token, so that other kinds of tokens from the same issuer are rejected (RFC 8725, 3.11). */
export const TOKEN_TYPE = 'pulse-embed+jwt';

/** The characters that a `kid` or `jti` can contain. */
export const TOKEN_ID: RegExp = /^[\x21-\x7e]{1,128}$/;

/** What is wrong with any other `kid` or `jti`. */
export const TOKEN_ID_FORM = 'must be 1 to 128 visible ASCII characters, without spaces';

/** Whether `value` can be a token's `sources`. An empty list is valid and allows nothing. */
export function areSources(value: unknown): value is '*' | readonly string[] {
  return value === '*' || (Array.isArray(value) && value.every(isSourceId));
}

/** Whether `value` can be a token's `origins`: exact origins. */
export function areOrigins(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isOrigin);
}
