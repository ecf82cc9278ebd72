import { createHash } from 'node:crypto';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Permit } from './permit.ts';
import { CLOCK_TOLERANCE_SECONDS, permitOf, LONGEST_LIFE_SECONDS, REQUIRED_CLAIMS } from './token-claims.ts';
import type { TokenKey, TokenRing } from './token-keys.ts';
import { readTokenText, TOKEN_TYPE, type TokenTextFault } from './token-text.ts';

/** Verified tokens that are remembered: as digests, so that memory holds none, and in a bounded number. */
const MOST_REMEMBERED = 10_000;

/** Why a token is refused, in a word for the log; readers are told nothing of it. */
export type TokenFault =
  | TokenTextFault
  | 'unknown_key'
  | 'algorithm'
  | 'signature'
  | 'audience'
  | 'claims'
  | 'life'
  | 'times'
  | 'revoked';

/** What a token grants, or why it grants nothing. */
export type TokenVerdict = Permit | TokenFault;

export interface TokenVerifierParts {
  /** The keys in force; another object means that they have changed. */
  readonly ring: () => TokenRing;
  /** Whom tokens must be meant for: the BFF's address as readers know it. */
  readonly audience: string;
  /** Milliseconds since the Unix epoch. */
  readonly wallNow: () => number;
}

/** Verifies tokens (RFC 7519, RFC 8725). */
export class TokenVerifier {
  readonly #parts: TokenVerifierParts;
  readonly #verified = new LRUCache<string, Permit>({ max: MOST_REMEMBERED });
  #ring: TokenRing;

  constructor(parts: TokenVerifierParts) {
    this.#parts = parts;
    this.#ring = parts.ring();
  }

  /** What `token` grants at once: because it was verified before, under these same keys, and has not ended. */
  known(token: string): Permit | undefined {
    if (this.#ring !== this.#parts.ring()) this.#startAnew();
    const permit = this.#verified.get(digestOf(token));
    return permit !== undefined && this.#parts.wallNow() < permit.endsAtMs ? permit : undefined;
  }

  /** Verifies `token` from the beginning. Never rejects. */
  async verify(token: string): Promise<TokenVerdict> {
    const ring = this.#parts.ring();
    const header = readTokenText(token);
    if (typeof header === 'string') return header;
    const key = ring.keys.get(header.kid);
    if (key === undefined) return 'unknown_key';
    if (header.alg !== key.algorithm) return 'algorithm';
    const claims = await this.#claimsOf(token, key);
    if (typeof claims === 'string') return claims;
    const { jti = '' } = claims;
    const permit = permitOf(claims, () => isInForce(this.#parts.ring(), header.kid, jti));
    if (typeof permit === 'string') return permit;
    if (ring.revoked.has(jti)) return 'revoked';
    // The keys may have changed while the signature was checked.
    if (ring === this.#parts.ring() && ring === this.#ring) this.#verified.set(digestOf(token), permit);
    return permit;
  }

  async #claimsOf(token: string, { key, algorithm }: TokenKey): Promise<JWTPayload | TokenFault> {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [algorithm],
        audience: this.#parts.audience,
        typ: TOKEN_TYPE,
        requiredClaims: REQUIRED_CLAIMS,
        maxTokenAge: LONGEST_LIFE_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(this.#parts.wallNow()),
      });
      return payload;
    } catch (error) {
      return faultOf(error);
    }
  }

  #startAnew(): void {
    this.#ring = this.#parts.ring();
    this.#verified.clear();
  }
}

/** Says whether tokens of the key `kid` are still taken, and the token `jti` is not taken back. */
function isInForce({ keys, revoked }: TokenRing, kid: string, jti: string): boolean {
  return keys.has(kid) && !revoked.has(jti);
}

function faultOf(error: unknown): TokenFault {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JWTExpired) return 'times';
  if (!(error instanceof errors.JWTClaimValidationFailed)) return 'claims';
  if (error.reason === 'check_failed' && error.claim === 'aud') return 'audience';
  return error.reason === 'check_failed' && ['iat', 'nbf'].includes(error.claim) ? 'times' : 'claims';
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
