import { createHash } from 'node:crypto';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, type JWTVerifyResult } from 'jose';
import { isExactOrigin, isSourceId } from '@pulse-card/contract';
import { isBase64url, TOKEN_ID, type TokenAlgorithm, type TokenKey, type TokenKeySet } from './keys.ts';

/** The maximum lifetime of a token, from `iat` to `exp`, in seconds. */
export const MAX_LIFE_SECONDS = 600;

/** How much the clocks of a minter and the BFF may differ, in seconds. Applies to `iat` and `exp`. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/** Claims that every token has. */
const REQUIRED_CLAIMS = ['aud', 'iat', 'exp', 'jti', 'sources'];

/**
 * The access that `claims` grant, or the reason why they grant none. jose has already verified their times and
 * audience.
 */
function grantOf(claims: JWTPayload): AccessGrant | 'claims' | 'life' {
  const { iat, exp, jti, sources, origins = '*' } = claims as JWTPayload & Record<'sources' | 'origins', unknown>;
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return 'claims';
  const lifeSeconds = Number(exp) - Number(iat);
  if (lifeSeconds <= 0 || lifeSeconds > MAX_LIFE_SECONDS) return 'life';
  if (typeof jti !== 'string' || !TOKEN_ID.test(jti)) return 'claims';
  if (!isAllOr(sources, isSourceId) || !isAllOr(origins, isExactOrigin) || origins.length === 0) return 'claims';
  return new AccessGrant(sources, origins, (Number(exp) + CLOCK_TOLERANCE_SECONDS) * 1_000);
}

/** Returns whether `value` is `*` or a list of valid items. */
function isAllOr(value: unknown, isValid: (item: unknown) => item is string): value is '*' | readonly string[] {
  return value === '*' || (Array.isArray(value) && value.every(isValid));
}

/**
 * The maximum length of a token, in characters. It is enough for fifty long ids, and short enough for a request's
 * headers.
 */
export const MAX_TOKEN_LENGTH = 4_096;

/** The `typ` of every token, so that other kinds of tokens from the same issuer are rejected (RFC 8725, 3.11). */
export const TOKEN_TYPE = 'pulse-embed+jwt';

/**
 * The members in a token's header. A token with other members (`crit`, `jku`, `jwk`, `x5c`, `b64`, `zip`, …) is
 * refused.
 */
const HEADER_NAMES: ReadonlySet<string> = new Set(['alg', 'kid', 'typ']);

/** Maximum number of verified tokens to remember, each by its digest. */
const MAX_REMEMBERED = 10_000;

/** Why a token is rejected. Only for the log, because the response doesn't say. */
export type TokenError =
  | 'too_long'
  | 'malformed'
  | 'header'
  | 'unknown_key'
  | 'algorithm'
  | 'signature'
  | 'audience'
  | 'claims'
  | 'life'
  | 'times'
  | 'revoked';

/** The rights that a token grants, or the reason why it grants none. */
export type TokenResult = AccessGrant | TokenError;

export interface TokenVerifierOptions {
  /** The current keys, which are a new object after each change. */
  readonly keySet: () => TokenKeySet;
  /** The `aud` that tokens must have, which is the BFF's public address. */
  readonly audience: string;
  /** Milliseconds since the Unix epoch. */
  readonly wallNow: () => number;
}

/** Verifies tokens (RFC 7519, RFC 8725). */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions;
  readonly #verified = new Map<string, AccessGrant>();
  #keySet: TokenKeySet;

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
    this.#keySet = options.keySet();
  }

  /** The grant of a token that was already verified with the current keys and has not expired. */
  known(token: string): AccessGrant | undefined {
    if (this.#keySet !== this.#options.keySet()) this.#startAnew();
    const accessGrant = this.#verified.get(digestOf(token));
    return accessGrant !== undefined && this.#options.wallNow() < accessGrant.endsAtMs ? accessGrant : undefined;
  }

  /** Verifies `token`. Never rejects. */
  async verify(token: string): Promise<TokenResult> {
    if (token.length > MAX_TOKEN_LENGTH) return 'too_long';
    const keySet = this.#options.keySet();
    const verified = await this.#verifiedJwt(token, keySet);
    if (typeof verified === 'string') return verified;
    const accessGrant = grantOf(verified.payload);
    if (typeof accessGrant === 'string') return accessGrant;
    if (keySet.revoked.has(verified.payload.jti ?? '')) return 'revoked';
    // The keys may have changed while the signature was checked.
    if (keySet === this.#options.keySet() && keySet === this.#keySet) this.#remember(digestOf(token), accessGrant);
    return accessGrant;
  }

  async #verifiedJwt(token: string, keySet: TokenKeySet): Promise<JWTVerifyResult | TokenError> {
    try {
      const verified = await jwtVerify(token, (header) => keyFor(header, keySet), {
        algorithms: ['EdDSA', 'HS256'] satisfies TokenAlgorithm[],
        audience: this.#options.audience,
        requiredClaims: REQUIRED_CLAIMS,
        maxTokenAge: MAX_LIFE_SECONDS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(this.#options.wallNow()),
      });
      // Decoders accept several spellings of the same bytes.
      return token.split('.').every(isBase64url) ? verified : 'malformed';
    } catch (error) {
      return tokenErrorOf(error);
    }
  }

  /** Forgets the oldest tokens if there are too many. */
  #remember(digest: string, accessGrant: AccessGrant): void {
    const [oldest] = this.#verified.keys();
    if (this.#verified.size >= MAX_REMEMBERED && oldest !== undefined) this.#verified.delete(oldest);
    this.#verified.set(digest, accessGrant);
  }

  #startAnew(): void {
    this.#keySet = this.#options.keySet();
    this.#verified.clear();
  }
}

/** Finds the key by its `kid`. jose's `createLocalJWKSet` holds no shared secrets; this map holds both kinds. */
function keyFor(header: JWTHeaderParameters, { keys }: TokenKeySet): TokenKey['key'] {
  if (!Object.keys(header).every((name) => HEADER_NAMES.has(name))) throw new errors.JOSENotSupported();
  // jose compares `typ` without regard to case.
  if (header.typ !== TOKEN_TYPE) throw new errors.JOSENotSupported();
  const key = keys.get(header.kid ?? '');
  if (key === undefined) throw new errors.JWKSNoMatchingKey();
  if (header.alg !== key.algorithm) throw new errors.JOSEAlgNotAllowed();
  return key.key;
}

function tokenErrorOf(error: unknown): TokenError {
  if (error instanceof errors.JWKSNoMatchingKey) return 'unknown_key';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'algorithm';
  if (error instanceof errors.JOSENotSupported) return 'header';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JWTExpired) return 'times';
  return error instanceof errors.JWTClaimValidationFailed ? claimErrorOf(error) : 'malformed';
}

function claimErrorOf({ claim, reason }: errors.JWTClaimValidationFailed): TokenError {
  if (reason !== 'check_failed') return 'claims';
  if (claim === 'aud') return 'audience';
  return claim === 'iat' || claim === 'nbf' ? 'times' : 'claims';
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** A reader's rights: the sources that the reader may see, and the origins whose pages may show them. */
export class AccessGrant {
  /** When the rights end, in milliseconds since the Unix epoch. */
  readonly endsAtMs: number;
  /** The ids of the sources that the reader may see. */
  readonly sources: '*' | ReadonlySet<string>;
  readonly #origins: '*' | ReadonlySet<string>;

  constructor(sources: '*' | readonly string[], origins: '*' | readonly string[], endsAtMs: number) {
    this.sources = sources === '*' ? sources : new Set(sources);
    this.#origins = origins === '*' ? origins : new Set(origins);
    this.endsAtMs = endsAtMs;
  }

  /** Returns whether the reader may see pulses of this source. */
  allowsSource(sourceId: string): boolean {
    return this.sources === '*' || this.sources.has(sourceId);
  }

  /** Returns whether a page on any of these origins may show pulses, by exact comparison. */
  allowsOrigin(origins: readonly string[]): boolean {
    const allowed = this.#origins;
    return allowed === '*' || origins.some((origin) => allowed.has(origin));
  }
}
