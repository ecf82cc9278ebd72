import { isOrigin, isSourceId } from '@pulse-card/contract';

/** The maximum lifetime of a token, from `iat` to `exp`, in seconds. */
export const MAX_LIFE_SECONDS = 600;

/** How much the clocks of a minter and the BFF may differ, in seconds. Applies to `iat` and `exp`. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/** Claims that every token has. */
export const REQUIRED_CLAIMS: string[] = ['aud', 'iat', 'exp', 'jti', 'sources'];

/** The maximum length of a token, in characters: enough for fifty long IDs, short enough for the headers of a request. */
export const MAX_TOKEN_LENGTH = 4_096;

/** The `typ` of every token, so that other kinds of tokens from the same issuer are rejected (RFC 8725, 3.11). */
export const TOKEN_TYPE = 'pulse-embed+jwt';

/** The longest `sub` that names the reader of a response, in characters. */
export const MAX_READER_LENGTH = 256;

/** The characters that a `kid` or `jti` can have. */
export const TOKEN_ID: RegExp = /^[\x21-\x7e]{1,128}$/;

/** The minimum length of a shared secret, in bytes: the length of the hash (RFC 7518, 3.2). */
export const MIN_SECRET_BYTES = 32;

/** Whether `value` can be the `sources` of a token. An empty list is valid, and allows nothing. */
export function areSources(value: unknown): value is '*' | readonly string[] {
  return value === '*' || (Array.isArray(value) && value.every(isSourceId));
}

/** Whether `value` can be the `origins` of a token: exact origins. */
export function areOrigins(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isOrigin);
}
