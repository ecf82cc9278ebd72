import { type KeyObject, createPrivateKey, randomUUID } from 'node:crypto';
import { isExactOrigin, isSourceId } from '@pulse-card/contract';
import { SignJWT } from 'jose';
import { MIN_SECRET_BYTES, TOKEN_ID } from './keys.ts';
import { MAX_LIFE_SECONDS, MAX_TOKEN_LENGTH, TOKEN_TYPE } from './verify.ts';

/** The key that signs tokens. `kid` is its name in the BFF's `PULSE_TOKEN_KEYS_FILE`. */
export type MintingKey =
  | {
      readonly kid: string;
      /** A shared secret of at least 32 bytes, as UTF-8 text or as bytes. The token is signed with HS256. */
      readonly secret: string | Uint8Array;
    }
  | {
      readonly kid: string;
      /** An Ed25519 private key, as PEM (PKCS #8) or as a key object. The token is signed with EdDSA. */
      readonly privateKey: string | KeyObject;
    };

/** What a token may be used for. */
export interface TokenUse {
  /** The BFF's public address, which is its `PULSE_PUBLIC_URL`. */
  readonly audience: string;
  /**
   * The sources that the token allows, or `*` for all sources that the BFF serves. An empty list is valid, and allows
   * nothing.
   */
  readonly sources: '*' | readonly string[];
  /**
   * The reader, such as a user id (`sub`). Cards never show one reader's data to the next reader. @default each
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
  /** The id with which this token can be revoked. @default a random UUID */
  readonly jti?: string;
}

/**
 * Mints a token for the cards on a page: `await mintToken({ kid, secret }, { audience, sources: ['src_1'] })`. Throws a
 * `TypeError` or `RangeError` that never contains the secret.
 */
export async function mintToken(key: MintingKey, permit: TokenUse): Promise<string> {
  const { audience, subject, sources, origins, lifeSeconds = 300, jti = randomUUID() } = permit;
  check(typeof audience === 'string' && URL.canParse(audience), 'audience must be the address of the BFF');
  check(
    sources === '*' || (Array.isArray(sources) && sources.every(isSourceId)),
    'sources must be "*" or an array of source ids',
  );
  check(subject === undefined || (typeof subject === 'string' && subject !== ''), 'subject must be a non-empty string');
  check(
    origins === undefined || (Array.isArray(origins) && origins.length > 0 && origins.every(isExactOrigin)),
    'origins must be an array of exact origins',
  );
  check(typeof jti === 'string' && TOKEN_ID.test(jti), 'jti must be 1 to 128 visible ASCII characters, without spaces');
  checkLife(lifeSeconds);
  const iat = Math.floor(Date.now() / 1_000);
  const claims = {
    sources,
    ...(origins && { origins }),
    ...(subject !== undefined && { sub: subject }),
    aud: new URL(audience).href.replace(/\/+$/, ''),
    jti,
  };
  const token = await sign(key, { ...claims, iat, exp: iat + lifeSeconds });
  if (token.length > MAX_TOKEN_LENGTH)
    throw new RangeError('Cannot mint a token: it lists too many sources or origins');
  return token;
}

function sign(key: MintingKey, claims: Record<string, unknown>): Promise<string> {
  check(
    typeof key?.kid === 'string' && TOKEN_ID.test(key.kid),
    'kid must be 1 to 128 visible ASCII characters, without spaces',
  );
  const jwt = new SignJWT(claims);
  if ('privateKey' in key) {
    return jwt.setProtectedHeader({ alg: 'EdDSA', kid: key.kid, typ: TOKEN_TYPE }).sign(privateKeyOf(key.privateKey));
  }
  check(typeof key.secret === 'string' || key.secret instanceof Uint8Array, 'secret must be text or bytes');
  const secret = Buffer.from(key.secret);
  check(secret.length >= MIN_SECRET_BYTES, `secret must be at least ${MIN_SECRET_BYTES} bytes long`);
  return jwt.setProtectedHeader({ alg: 'HS256', kid: key.kid, typ: TOKEN_TYPE }).sign(secret);
}

function privateKeyOf(key: string | KeyObject): KeyObject {
  const privateKey = typeof key === 'string' ? parsed(key) : key;
  check(privateKey?.type === 'private' && privateKey.asymmetricKeyType === 'ed25519', NO_PRIVATE_KEY);
  return privateKey as KeyObject;
}

const NO_PRIVATE_KEY = 'privateKey must be an Ed25519 private key';

function parsed(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function checkLife(seconds: number): void {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= MAX_LIFE_SECONDS) return;
  throw new RangeError(`lifeSeconds must be a whole number from 1 to ${MAX_LIFE_SECONDS}, got ${seconds}`);
}

function check(isValid: boolean, fault: string): void {
  if (!isValid) throw new TypeError(`Cannot mint a token: ${fault}`);
}
