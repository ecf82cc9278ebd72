import { createHash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { AccessGrant } from './access-grant.ts';
import { CLOCK_TOLERANCE_SECONDS, grantOf, MAX_LIFE_SECONDS, REQUIRED_CLAIMS } from './token-claims.ts';
import type { TokenKey, TokenKeySet } from './token-key-set.ts';
import { parseTokenHeader, TOKEN_TYPE, type TokenHeaderError } from './token-header.ts';

/** Verified tokens that are remembered: as digests, so that memory holds none, and in a bounded number. */
const MAX_REMEMBERED = 10_000;

/** Why a token is refused, in a word for the log; readers are told nothing of it. */
export type TokenError =
  | TokenHeaderError
  | 'unknown_key'
  | 'algorithm'
  | 'signature'
  | 'audience'
  | 'claims'
  | 'life'
  | 'times'
  | 'revoked';

/** What a token grants, or why it grants nothing. */
export type TokenResult = AccessGrant | TokenError;

export interface TokenVerifierOptions {
  /** The keys in force; another object means that they have changed. */
  readonly keySet: () => TokenKeySet;
  /** Whom tokens must be meant for: the BFF's address as readers know it. */
  readonly audience: string;
  /** Milliseconds since the Unix epoch. */
  readonly wallNow: () => number;
}

/** Verifies tokens (RFC 7519, RFC 8725). */
export class TokenVerifier {
  readonly #parts: TokenVerifierOptions;
  readonly #verified = new LRUCache<string, AccessGrant>({ max: MAX_REMEMBERED });
  #keySet: TokenKeySet;

  constructor(parts: TokenVerifierOptions) {
    this.#parts = parts;
    this.#keySet = parts.keySet();
  }

  /** What `token` grants at once: because it was verified before, under these same keys, and has not ended. */
  known(token: string): AccessGrant | undefined {
    if (this.#keySet !== this.#parts.keySet()) this.#startAnew();
    const accessGrant = this.#verified.get(digestOf(token));
    return accessGrant !== undefined && this.#parts.wallNow() < accessGrant.endsAtMs ? accessGrant : undefined;
  }

  /** Verifies `token` from the beginning. Never rejects. */
  async verify(token: string): Promise<TokenResult> {
    const keySet = this.#parts.keySet();
    const header = parseTokenHeader(token);
    if (typeof header === 'string') return header;
    const key = keySet.keys.get(header.kid);
    if (key === undefined) return 'unknown_key';
    if (header.alg !== key.algorithm) return 'algorithm';
    const claims = await this.#claimsOf(token, key);
    if (typeof claims === 'string') return claims;
    const { jti = '' } = claims;
    const accessGrant = grantOf(claims, () => isInForce(this.#parts.keySet(), header.kid, jti));
    if (typeof accessGrant === 'string') return accessGrant;
    if (keySet.revoked.has(jti)) return 'revoked';
    // The keys may have changed while the signature was checked.
    if (keySet === this.#parts.keySet() && keySet === this.#keySet) this.#verified.set(digestOf(token), accessGrant);
    return accessGrant;
  }

  async #claimsOf(token: string, { key, algorithm }: TokenKey): Promise<JWTPayload | TokenError> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [algorithm],
        audience: this.#parts.audience,
        typ: TOKEN_TYPE,
        requiredClaims: REQUIRED_CLAIMS,
        maxTokenAge: MAX_LIFE_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(this.#parts.wallNow()),
      });
      return payload;
    } catch (error) {
      return faultOf(error);
    }
  }

  #startAnew(): void {
    this.#keySet = this.#parts.keySet();
    this.#verified.clear();
  }
}

/** Returns whether tokens of the key `kid` are still taken, and the token `jti` is not taken back. */
function isInForce({ keys, revoked }: TokenKeySet, kid: string, jti: string): boolean {
  return keys.has(kid) && !revoked.has(jti);
}

function faultOf(error: unknown): TokenError {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JWTExpired) return 'times';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'claims';
  if (error.reason === 'check_failed' && error.claim === 'aud') return 'audience';
  return error.reason === 'check_failed' && ['iat', 'nbf'].includes(error.claim) ? 'times' : 'claims';
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
