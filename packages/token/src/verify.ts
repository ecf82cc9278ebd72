import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import { isBase64url, type TokenKey, type TokenKeySet } from './keys.ts';
import { explainRefusal, type TokenError, type TokenRefusal, type TokenVerifierOptions } from './refusal.ts';
import { areOrigins, areSources, LIMITS, REQUIRED_CLAIMS, TOKEN_ID, TOKEN_TYPE } from './rules.ts';

/** What a token allows: the sources that the reader may see, and the origins whose pages may show them. */
export interface TokenAccess {
  readonly sources: '*' | ReadonlySet<string>;
  /** Undefined if pages on any origin that the BFF allows may show the sources. */
  readonly origins: readonly string[] | undefined;
  /** The token's `sub`; undefined if it has none, or if it is longer than 256 characters. */
  readonly reader: string | undefined;
}

/** The access that a token grants, or why it grants none. */
export type TokenResult = { readonly ok: true; readonly access: TokenAccess } | ({ readonly ok: false } & TokenRefusal);

/** Verifies tokens with one set of keys (RFC 7519, RFC 8725). After the keys change, a new verifier is needed. */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions;

  constructor(options: TokenVerifierOptions) {
    this.#options = options;
  }

  /** Verifies `token`. Never rejects. */
  async verify(token: string): Promise<TokenResult> {
    const result = await this.#accessOf(token);
    if (typeof result === 'string') return { ok: false, ...explainRefusal(result, token, this.#options) };
    return { ok: true, access: result };
  }

  async #accessOf(token: string): Promise<TokenAccess | TokenError> {
    const { keySet, audience, wallNow } = this.#options;
    if (token.length > LIMITS.length) return 'too_long';
    try {
      const { payload } = await jwtVerify(token, (header) => keyFor(header, keySet), {
        algorithms: ['EdDSA', 'HS256'],
        audience,
        requiredClaims: REQUIRED_CLAIMS,
        maxTokenAge: LIMITS.lifeSeconds,
        clockTolerance: LIMITS.toleranceSeconds,
        currentDate: new Date(wallNow()),
      });
      // Decoders accept several encodings of the same bytes.
      if (!token.split('.').every(isBase64url)) return 'malformed';
      return keySet.revoked.has(String(payload.jti)) ? 'revoked' : accessOf(payload);
    } catch (error) {
      return tokenErrorOf(error);
    }
  }
}

/** The access that `claims` grant, or why they don't grant any. jose has already verified their times and audience. */
function accessOf({ iat = 0, exp = 0, jti, sub, ...claims }: JWTPayload): TokenAccess | 'claims' | 'life' {
  const { sources, origins } = claims as Readonly<Record<string, unknown>>;
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return 'claims';
  if (exp <= iat || exp - iat > LIMITS.lifeSeconds) return 'life';
  if (typeof jti !== 'string' || !TOKEN_ID.test(jti) || !areSources(sources)) return 'claims';
  if (origins !== undefined && origins !== '*' && !areOrigins(origins)) return 'claims';
  return {
    sources: sources === '*' ? sources : new Set(sources),
    origins: areOrigins(origins) ? origins : undefined,
    reader: typeof sub === 'string' && sub !== '' && sub.length <= LIMITS.reader ? sub : undefined,
  };
}

/**
 * Finds the key by its `kid`. jose's `createLocalJWKSet` doesn't support shared secrets; this map supports both kinds.
 */
function keyFor(header: JWTHeaderParameters, { keys }: TokenKeySet): TokenKey['key'] {
  // Tokens with other members (`crit`, `jku`, `jwk`, `x5c`, `b64`, …) are rejected. jose compares `typ` without regard to
  // case.
  const hasOnlyOurs = Object.keys(header).every((name) => /^(?:alg|kid|typ)$/.test(name)) && header.typ === TOKEN_TYPE;
  if (!hasOnlyOurs) throw new errors.JOSENotSupported();
  const key = keys.get(header.kid ?? '');
  if (key === undefined) throw new errors.JWKSNoMatchingKey();
  if (header.alg !== key.algorithm) throw new errors.JOSEAlgNotAllowed();
  return key.key;
}

const REASONS: Readonly<Record<string, TokenError>> = {
  ERR_JWKS_NO_MATCHING_KEY: 'unknown_key',
  ERR_JOSE_ALG_NOT_ALLOWED: 'algorithm',
  ERR_JOSE_NOT_SUPPORTED: 'header',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'signature',
  ERR_JWT_EXPIRED: 'times',
};

function tokenErrorOf(error: unknown): TokenError {
  if (!(error instanceof errors.JWTClaimValidationFailed))
    return (error instanceof errors.JOSEError && REASONS[error.code]) || 'malformed';
  if (error.reason !== 'check_failed') return 'claims';
  if (error.claim === 'aud') return 'audience';
  return error.claim === 'iat' || error.claim === 'nbf' ? 'times' : 'claims';
}
