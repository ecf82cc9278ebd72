import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** The audience of valid tokens. */
export const AUDIENCE = 'https://pulse.test';

/** The page that valid tokens allow. */
export const PORTAL = 'https://portal.test';

const SECRET = 'a-shared-secret-of-more-than-32-bytes';
const pair = generateKeyPairSync('ed25519');
const otherPair = generateKeyPairSync('ed25519');

/** The key file: a key pair, a shared secret, and a revoked token. */
export const KEYS_FILE = JSON.stringify({
  keys: [{ ...pair.publicKey.export({ format: 'jwk' }), kid: 'pair', alg: 'EdDSA', use: 'sig' }],
  secrets: [{ kid: 'shared', secret: SECRET }],
  revoked: ['taken-back'],
});

const TYP = 'pulse-embed+jwt';
const SHARED = { alg: 'HS256', kid: 'shared', typ: TYP };
const PAIRED = { alg: 'EdDSA', kid: 'pair', typ: TYP };

const hmac =
  (secret: string, hash = 'sha256') =>
  (text: string) =>
    createHmac(hash, secret).update(text).digest('base64url');
const ed25519 = (key: KeyObject) => (text: string) => sign(null, Buffer.from(text), key).toString('base64url');

const encoded = (part: object | string): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/** A token with these parts and this signature. Each part is an object, or text that is used as is. */
export function forge(header: object | string, claims: object | string, signed = hmac(SECRET)): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${signed(text)}`;
}

/** The claims for a token that is valid at `nowSeconds`. */
function claimsAt(nowSeconds: number) {
  return { aud: AUDIENCE, iat: nowSeconds, exp: nowSeconds + 300, jti: 'jti-1', sources: ['src_1'] };
}

/** A token that is signed with the shared secret and valid at `nowSeconds`, unless `more` overrides its claims. */
export function tokenAt(nowSeconds: number, more: object = {}): string {
  return forge(SHARED, { ...claimsAt(nowSeconds), ...more });
}

/** Tokens that are valid at `nowSeconds`, keyed by what makes each one special. */
export function goodTokens(nowSeconds: number): Readonly<Record<string, string>> {
  const claims = claimsAt(nowSeconds);
  const escaped = JSON.stringify(claims).replaceAll('src_1', String.raw`\u0073rc_1`);
  return {
    'a shared secret': tokenAt(nowSeconds),
    'a key pair': forge(PAIRED, claims, ed25519(pair.privateKey)),
    'several audiences': tokenAt(nowSeconds, { aud: ['https://other.test', AUDIENCE] }),
    'claims of other trades': tokenAt(nowSeconds, { sub: 'user_1', iss: PORTAL, roles: ['reader'] }),
    'every source': tokenAt(nowSeconds, { sources: '*' }),
    'no source': tokenAt(nowSeconds, { sources: [] }),
    'a jti of 128 characters': tokenAt(nowSeconds, { jti: 'x'.repeat(128) }),
    'origins as *': tokenAt(nowSeconds, { origins: '*' }),
    'an escaped spelling of its JSON': forge(SHARED, escaped),
  };
}

/** Tokens that must be rejected at `nowSeconds`, keyed by the error in each token (threat model, T-33). */
export function forgedTokens(nowSeconds: number): Readonly<Record<string, string>> {
  const claims = claimsAt(nowSeconds);
  const text = JSON.stringify(claims);
  const good = forge(SHARED, claims);
  const [header, payload, signature] = good.split('.');
  const by = (more: object, signed?: (text: string) => string) => forge({ ...SHARED, ...more }, claims, signed);
  const byOther = (more: object) => forge({ ...PAIRED, ...more }, claims, ed25519(otherPair.privateKey));
  const claiming = (more: object) => tokenAt(nowSeconds, more);
  const publicPem = pair.publicKey.export({ format: 'pem', type: 'spki' }).toString();
  return {
    'alg none, no signature': by({ alg: 'none' }, () => ''),
    'alg nOnE with a signature': by({ alg: 'nOnE' }),
    'HS256 with the public key for a secret': by({ kid: 'pair' }, hmac(publicPem)),
    'EdDSA named with the kid of a shared secret': by({ alg: 'EdDSA' }, ed25519(pair.privateKey)),
    'HS512 with the shared secret': by({ alg: 'HS512' }, hmac(SECRET, 'sha512')),
    'no alg': by({ alg: undefined }),

    'no kid': by({ kid: undefined }),
    'an unknown kid': by({ kid: 'other' }),
    'a kid that is a path, with an empty secret': by({ kid: '../../../../dev/null' }, hmac('')),
    'a kid that every object has': by({ kid: 'constructor' }),
    'a kid that is a number': by({ kid: 0 }),
    'another secret': by({}, hmac(`${SECRET}!`)),
    'another private key': byOther({}),
    'a signature of another token': `${header}.${payload}.${claiming({ jti: 'jti-2' }).split('.')[2]}`,
    'a signature of zeros': forge(PAIRED, claims, () => Buffer.alloc(64).toString('base64url')),
    'no signature': by({}, () => ''),

    'a jwk that brings its own key': byOther({ jwk: otherPair.publicKey.export({ format: 'jwk' }) }),
    'a jku, though signed by a known key': by({ jku: 'https://evil.test/jwks.json' }),
    'a crit that is not known': by({ crit: ['exp'] }),
    'no typ': by({ typ: undefined }),
    'the typ of any JWT': by({ typ: 'JWT' }),
    'a header that is a list': forge('["HS256"]', claims),

    'no aud': claiming({ aud: undefined }),
    'an aud of another site': claiming({ aud: 'https://other.test' }),
    'an aud that begins alike': claiming({ aud: `${AUDIENCE}.evil.test` }),
    'no jti': claiming({ jti: undefined }),
    'an empty jti': claiming({ jti: '' }),
    'a jti of 129 characters': claiming({ jti: 'x'.repeat(129) }),
    'no sources': claiming({ sources: undefined }),
    'sources as a string': claiming({ sources: 'src_1' }),
    'sources with * among ids': claiming({ sources: ['*'] }),
    'sources that are no ids': claiming({ sources: ['../secret'] }),
    'an empty list of origins': claiming({ origins: [] }),
    'an origin with a path': claiming({ origins: [`${PORTAL}/`] }),
    'a revoked jti': claiming({ jti: 'taken-back' }),
    'claims that are no JSON': forge(SHARED, `${text}}`),

    'no exp': claiming({ exp: undefined }),
    'no iat': claiming({ iat: undefined }),
    'an exp of 1e300': forge(SHARED, text.replace(/"exp":\d+/, '"exp":1e300')),
    'an iat with a fraction': claiming({ iat: nowSeconds - 0.5 }),
    'an exp as a string': claiming({ exp: String(nowSeconds + 300) }),
    'an exp with a fraction': claiming({ exp: nowSeconds + 300.5 }),
    'a life of ten years': claiming({ exp: nowSeconds + 315_360_000 }),
    'an end 30 s ago': claiming({ iat: nowSeconds - 330, exp: nowSeconds - 30 }),
    'an nbf still to come': claiming({ nbf: nowSeconds + 300 }),

    'two parts': `${header}.${payload}`,
    'four parts': `${good}.AAAA`,
    'another spelling of the last character': respelt(good),
    padding: `${good}=`,
    'a blank within': `${header}. ${payload}.${signature}`,
    'more than 4,096 characters': claiming({ more: 'x'.repeat(4_096) }),
    'nested a thousand deep': forge(SHARED, `${'['.repeat(1_000)}${']'.repeat(1_000)}`),
  };
}

/**
 * A different encoding that a lenient decoder reads as the same token: the last of 43 characters has two unused bits.
 */
function respelt(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(token.at(-1) ?? '');
  return token.slice(0, -1) + alphabet[last ^ 1];
}
