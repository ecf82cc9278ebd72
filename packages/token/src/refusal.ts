import { decodeJwt, decodeProtectedHeader } from 'jose';
import type { TokenKeySet } from './keys.ts';
import { LIMITS, REQUIRED_CLAIMS, TOKEN_TYPE } from './rules.ts';

/** Why a token is rejected. */
export type TokenError =
  | ('too_long' | 'malformed' | 'header' | 'unknown_key' | 'algorithm' | 'signature')
  | ('audience' | 'claims' | 'life' | 'times' | 'revoked');

/** What tokens are verified against. */
export interface TokenVerifierOptions {
  readonly keySet: TokenKeySet;
  /** The BFF's public URL. */
  readonly audience: string;
  /** Milliseconds since the Unix epoch. */
  readonly wallNow: () => number;
}

type Expected = readonly [expected: string, ...names: string[]];

/** What is expected of each token, and the names of the header members and claims that show what was found instead. */
function expectedBy({ keySet, audience, wallNow }: TokenVerifierOptions): Readonly<Record<TokenError, Expected>> {
  const now = Math.floor(wallNow() / 1_000);
  const kids = [...keySet.keys.keys()].join(', ');
  return {
    too_long: [`at most ${LIMITS.length} characters`, 'length'],
    malformed: ['three base64url parts with JSON in the first two', 'length', 'parts'],
    header: [`only alg, kid, and typ "${TOKEN_TYPE}" in the header`, 'header'],
    unknown_key: [`a kid in PULSE_TOKEN_KEYS_FILE: ${kids}`, 'kid'],
    algorithm: ['the alg of the key in PULSE_TOKEN_KEYS_FILE (EdDSA for a key pair, HS256 for a secret)', 'alg', 'kid'],
    signature: ['a signature by the key in PULSE_TOKEN_KEYS_FILE', 'alg', 'kid'],
    audience: [`aud ${audience} (PULSE_PUBLIC_URL)`, 'aud'],
    claims: [`well-formed ${REQUIRED_CLAIMS.join(', ')}, and origins if present`, ...REQUIRED_CLAIMS, 'origins'],
    life: [`exp 1 to ${LIMITS.lifeSeconds} s after iat`, 'iat', 'exp'],
    times: [`iat <= ${now} < exp (clocks may differ by ${LIMITS.toleranceSeconds} s)`, 'iat', 'exp', 'nbf'],
    revoked: ['a jti that isn’t listed under "revoked"', 'jti'],
  };
}

/**
 * Why a token is rejected, for the BFF's log. Readers aren't told. The reason never contains the token or its
 * signature.
 */
export interface TokenRefusal {
  readonly reason: TokenError;
  readonly expected: string;
  /** What the token contains instead: one line of JSON, truncated to 300 characters. */
  readonly found: string;
}

/** Describes what was expected of a rejected token and what was found. */
export function explainRefusal(reason: TokenError, token: string, options: TokenVerifierOptions): TokenRefusal {
  const [expected, ...names] = expectedBy(options)[reason];
  const found = Object.fromEntries(Object.entries(factsOf(token)).filter(([name]) => names.includes(name)));
  const text = JSON.stringify(found).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
  return { reason, expected, found: text.slice(0, 300) };
}

function factsOf(token: string): Readonly<Record<string, unknown>> {
  const facts = { length: token.length, parts: token.split('.').length };
  try {
    const header = decodeProtectedHeader(token);
    return { ...facts, ...decodeJwt(token), ...header, header };
  } catch {
    return facts;
  }
}
