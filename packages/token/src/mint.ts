import { type KeyObject, createPrivateKey, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { areOrigins, areSources, LIMITS, TOKEN_ID, TOKEN_ID_FORM, TOKEN_TYPE } from './rules.ts';

/**
 * The key that signs tokens. `kid`: its name in the BFF's `PULSE_TOKEN_KEYS_FILE`. `secret`: a shared secret of at
 * least 32 bytes, as UTF-8 text or as bytes (HS256). `privateKey`: an Ed25519 private key, as PEM or as a key object
 * (EdDSA).
 */
export type MintingKey = { readonly kid: string } & (
  | { readonly secret: string | Uint8Array }
  | { readonly privateKey: string | KeyObject }
);

/** What a token can be used for. */
export interface TokenUse {
  /** The BFF's public URL, which is its `PULSE_PUBLIC_URL`. */
  readonly audience: string;
  /**
   * The sources that the token allows, or `*` for all sources that the BFF serves. An empty list is valid and allows
   * nothing.
   */
  readonly sources: '*' | readonly string[];
  /**
   * The reader, such as a user ID (`sub`). Cards never show one reader's data to the next reader. @default each
   * token counts as a different reader
   */
  readonly subject?: string | undefined;
  /**
   * The origins whose pages may show the sources, such as `https://portal.example.com`. @default any that the BFF
   * allows
   */
  readonly origins?: readonly string[];
  /** The token's lifetime in seconds, 1 to 600. @default 300 */
  readonly lifeSeconds?: number;
  /** An ID that can be used to revoke this token. @default a random UUID */
  readonly jti?: string;
}

/**
 * Mints a token for the cards on a page: `await mintToken({ kid, secret }, { audience, sources: ['src_1'] })`. Throws a
 * `TypeError` or `RangeError` that never contains the secret.
 */
export async function mintToken(key: MintingKey, use: TokenUse): Promise<string> {
  const { audience, subject, sources, origins, lifeSeconds = 300, jti = randomUUID() } = use;
  check(typeof audience === 'string' && URL.canParse(audience), 'audience must be the URL of the BFF');
  check(areSources(sources), 'sources must be "*" or an array of source IDs');
  check(subject === undefined || (typeof subject === 'string' && subject !== ''), 'subject must be a non-empty string');
  check(origins === undefined || areOrigins(origins), 'origins must be an array of exact origins');
  check(typeof jti === 'string' && TOKEN_ID.test(jti), `jti ${TOKEN_ID_FORM}`);
  if (!Number.isInteger(lifeSeconds) || lifeSeconds < 1 || lifeSeconds > LIMITS.lifeSeconds)
    throw new RangeError(`lifeSeconds must be a whole number from 1 to ${LIMITS.lifeSeconds}, got ${lifeSeconds}`);
  const iat = Math.floor(Date.now() / 1_000);
  const aud = new URL(audience).href.replace(/\/+$/, '');
  const claims = { sources, origins, sub: subject, aud, jti, iat, exp: iat + lifeSeconds };
  const token = await sign(key, claims);
  if (token.length > LIMITS.length) throw new RangeError('Can’t mint a token: it lists too many sources or origins');
  return token;
}

function sign(key: MintingKey, claims: Record<string, unknown>): Promise<string> {
  check(typeof key?.kid === 'string' && TOKEN_ID.test(key.kid), `kid ${TOKEN_ID_FORM}`);
  const isPair = 'privateKey' in key;
  const header = { alg: isPair ? 'EdDSA' : 'HS256', kid: key.kid, typ: TOKEN_TYPE };
  return new SignJWT(claims)
    .setProtectedHeader(header)
    .sign(isPair ? privateKeyOf(key.privateKey) : secretOf(key.secret));
}

function secretOf(secret: unknown): Uint8Array {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) throw fault('secret must be text or bytes');
  const bytes = Buffer.from(secret as string);
  check(bytes.length >= LIMITS.minSecretBytes, `secret must be at least ${LIMITS.minSecretBytes} bytes long`);
  return bytes;
}

function privateKeyOf(key: string | KeyObject): KeyObject {
  try {
    const privateKey = typeof key === 'string' ? createPrivateKey(key) : key;
    if (privateKey.type === 'private' && privateKey.asymmetricKeyType === 'ed25519') return privateKey;
  } catch {
    // The error's text isn't used, because it may quote the key.
  }
  throw fault('privateKey must be an Ed25519 private key');
}

function check(isValid: boolean, what: string): void {
  if (!isValid) throw fault(what);
}

function fault(what: string): TypeError {
  return new TypeError(`Can’t mint a token: ${what}`);
}
