import { isSourceId } from '@pulse-card/contract';
import type { JWTPayload } from 'jose';
import { isExactOrigin } from './origin-policy.ts';
import { AccessGrant } from './access-grant.ts';
import { TOKEN_ID } from './token-key-set.ts';

/** Longest life of a token, from `iat` to `exp`, in seconds. */
export const MAX_LIFE_SECONDS = 600;

/** How far the clocks of a minter and of the BFF may be apart, in seconds. */
export const CLOCK_TOLERANCE_SECONDS = 120;

/** What a token must say of its times and of what it is for. */
export const REQUIRED_CLAIMS = ['aud', 'iat', 'exp', 'jti', 'sources'];

/** What `claims` grant while it `holds`, or a word for why they grant nothing. Their times and audience are verified already. */
export function grantOf(claims: JWTPayload, holds?: () => boolean): AccessGrant | 'claims' | 'life' {
  const { iat, exp, jti, sources, origins = '*' } = claims as JWTPayload & Record<'sources' | 'origins', unknown>;
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return 'claims';
  const lifeSeconds = Number(exp) - Number(iat);
  if (lifeSeconds <= 0 || lifeSeconds > MAX_LIFE_SECONDS) return 'life';
  if (typeof jti !== 'string' || !TOKEN_ID.test(jti)) return 'claims';
  if (!isAllOr(sources, isSourceId) || !isAllOr(origins, isExactOrigin)) return 'claims';
  return new AccessGrant(sources, origins, (Number(exp) + CLOCK_TOLERANCE_SECONDS) * 1_000, holds);
}

/** Returns whether `value` is `*`, or a list with something in it whose items all are as they should be. */
function isAllOr(value: unknown, isValid: (item: unknown) => item is string): value is '*' | readonly string[] {
  return value === '*' || (Array.isArray(value) && value.length > 0 && value.every(isValid));
}
