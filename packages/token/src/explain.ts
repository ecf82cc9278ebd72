import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import type { TokenKeySet } from './keys.ts';
import {
  type AccessGrant,
  CLOCK_TOLERANCE_SECONDS,
  MAX_TOKEN_LENGTH,
  type TokenError,
  TokenVerifier,
} from './verify.ts';

export interface TokenJudge {
  /** The current keys; undefined if the signature cannot be checked. */
  readonly keySet: TokenKeySet | undefined;
  /** The BFF's public address. */
  readonly audience: string;
  /** Milliseconds since the Unix epoch. */
  readonly wallNow: () => number;
}

/** A token's content, line by line, and the reason if the token is rejected. */
export interface TokenExplanation {
  readonly lines: readonly string[];
  /** Undefined if there are no keys to check the signature with. */
  readonly isAccepted: boolean | undefined;
  /** Why the token is refused. */
  readonly error?: TokenError;
  /** The rights that the token grants if it is accepted. */
  readonly accessGrant?: AccessGrant;
}

/** Decodes `token` and explains whether a BFF with these keys and this address would accept it now. */
export async function explainToken(
  token: string,
  { keySet, audience, wallNow }: TokenJudge,
): Promise<TokenExplanation> {
  const lines = token.length > MAX_TOKEN_LENGTH ? 'too_long' : claimLines(token, wallNow());
  if (typeof lines === 'string') return { lines: [refusalLine(lines, audience)], isAccepted: false, error: lines };
  if (keySet === undefined) return { lines, isAccepted: undefined };
  const result = await new TokenVerifier({ keySet: () => keySet, audience, wallNow }).verify(token);
  if (typeof result === 'string')
    return { lines: [...lines, refusalLine(result, audience)], isAccepted: false, error: result };
  return { lines: [...lines, acceptedLine(decodeJwt(token), wallNow())], isAccepted: true, accessGrant: result };
}

/** A token outside its validity period may be accepted because clocks differ. The line says so. */
function acceptedLine({ iat = 0, exp = Infinity }: JWTPayload, now: number): string {
  const leftSeconds = Math.ceil(exp - now / 1_000);
  const reason = `clocks may differ by ${CLOCK_TOLERANCE_SECONDS} s`;
  if (leftSeconds <= 0)
    return `The token has expired, but it will still be accepted for another ${leftSeconds + CLOCK_TOLERANCE_SECONDS} s, because ${reason}.`;
  return iat * 1_000 > now
    ? `The token’s issue time is in the future, but the token is accepted, because ${reason}.`
    : 'The token is accepted.';
}

function refusalLine(fault: TokenError, audience: string): string {
  return `The BFF rejects the token: ${refusalReason(fault, audience)}.`;
}

function claimLines(token: string, now: number): string[] | 'malformed' {
  try {
    const [header, claims] = [decodeProtectedHeader(token), decodeJwt(token)];
    return [
      `Header: alg ${textOf(header.alg)}, kid ${textOf(header.kid)}, typ ${textOf(header.typ)}`,
      `Audience: ${textOf(claims.aud)}`,
      `Sources: ${textOf(claims['sources'])}`,
      `Origins: ${claims['origins'] === undefined ? 'all in PULSE_ALLOWED_ORIGINS' : textOf(claims['origins'])}`,
      `Subject: ${textOf(claims.sub)}`,
      `Issued: ${timeOf(claims.iat, now)}`,
      `Expires: ${timeOf(claims.exp, now)}`,
      `Id: ${textOf(claims.jti)}`,
    ];
  } catch {
    return 'malformed';
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : value === undefined ? 'none' : JSON.stringify(value);
}

/** The latest time that a date can represent, in seconds. */
const MAX_SECONDS = 8.64e12;

function timeOf(seconds: unknown, now: number): string {
  if (typeof seconds !== 'number' || !(Math.abs(seconds) <= MAX_SECONDS)) return textOf(seconds);
  const awaySeconds = Math.round(seconds - now / 1_000);
  const away = awaySeconds < 0 ? `${-awaySeconds} s ago` : `in ${awaySeconds} s`;
  return `${new Date(seconds * 1_000).toISOString()} (${away})`;
}

/** Describes why a token is rejected. `audience` is the BFF's address. */
export function refusalReason(fault: TokenError, audience: string): string {
  return fault === 'audience' ? `its audience is not PULSE_PUBLIC_URL, ${audience}` : REASONS[fault];
}

const REASONS: Readonly<Record<Exclude<TokenError, 'audience'>, string>> = {
  too_long: 'it is longer than 4096 characters; list fewer sources or origins',
  malformed: 'it is not a JWT with three base64url parts',
  header: 'its header must contain alg, kid and typ "pulse-embed+jwt", and nothing else',
  unknown_key: 'PULSE_TOKEN_KEYS_FILE has no key with its kid',
  algorithm: 'its alg differs from the alg of the key in PULSE_TOKEN_KEYS_FILE',
  signature: 'its signature does not match the key in PULSE_TOKEN_KEYS_FILE',
  claims: 'a claim is missing or malformed (aud, iat, exp, jti, sources, and origins if present)',
  life: 'it must expire 1 to 600 seconds after it was issued',
  times: `it is expired, or the clocks of the minter and the BFF are more than ${CLOCK_TOLERANCE_SECONDS} seconds apart`,
  revoked: 'its jti is listed under "revoked"',
};
