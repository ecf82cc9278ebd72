import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Whom good tokens are for. */
export const AUDIENCE = 'https://pulse.test';

/** The page that good tokens name. */
export const PORTAL = 'https://portal.test';

export const SHARED_SECRET = 'a-shared-secret-of-more-than-32-bytes';
const pair = generateKeyPairSync('ed25519');
const otherPair = generateKeyPairSync('ed25519');
const rsaPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicPem = pair.publicKey.export({ format: 'pem', type: 'spki' }).toString();

/** The private half of the key `pair` of the ring. */
export const privateKey = pair.privateKey;

/** The ring's file: a key pair, a shared secret, and a token that is taken back. */
export const KEYS_FILE = JSON.stringify({
  keys: [{ ...createPublicKey(privateKey).export({ format: 'jwk' }), kid: 'pair', alg: 'EdDSA', use: 'sig' }],
  secrets: [{ kid: 'shared', secret: SHARED_SECRET }],
  revoked: ['taken-back'],
});

type Members = Readonly<Record<string, unknown>>;

/** Base64url of an object's JSON, or of a text or bytes as they are. */
export function encoded(value: Members | string | Buffer): string {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  return bytes.toString('base64url');
}

const hmac =
  (secret: string | Buffer, hash = 'sha256') =>
  (text: string) =>
    createHmac(hash, secret).update(text).digest('base64url');
const ed25519 = (key: KeyObject) => (text: string) => sign(null, Buffer.from(text), key).toString('base64url');

/** A token of these parts, signed as told. */
export function forge(
  header: Members | string | Buffer,
  claims: Members | string | Buffer,
  signed: (text: string) => string = hmac(SHARED_SECRET),
): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${signed(text)}`;
}

/** The header and the claims of tokens that are good at `nowSeconds`. */
export function goodParts(nowSeconds: number): { shared: Members; paired: Members; claims: Members } {
  const typ = 'pulse-embed+jwt';
  return {
    shared: { alg: 'HS256', kid: 'shared', typ },
    paired: { alg: 'EdDSA', kid: 'pair', typ },
    claims: { aud: AUDIENCE, iat: nowSeconds, exp: nowSeconds + 300, jti: 'jti-1', sources: ['src_1'] },
  };
}

/** Tokens that are good at `nowSeconds`, by what is special about them. */
export function goodTokens(nowSeconds: number): Readonly<Record<string, string>> {
  const { shared, paired, claims } = goodParts(nowSeconds);
  return {
    'a shared secret': forge(shared, claims),
    'a key pair': forge(paired, claims, ed25519(privateKey)),
    'the longest life': forge(shared, { ...claims, exp: nowSeconds + 600 }),
    'a minter whose clock is 30 s ahead': forge(shared, { ...claims, iat: nowSeconds + 30, exp: nowSeconds + 630 }),
    'a minter whose clock is behind': forge(shared, { ...claims, iat: nowSeconds - 320, exp: nowSeconds - 20 }),
    'several audiences': forge(shared, { ...claims, aud: ['https://other.test', AUDIENCE] }),
    'claims of other trades': forge(shared, { ...claims, sub: 'user_1', iss: PORTAL, roles: ['reader'] }),
    'every source': forge(shared, { ...claims, sources: '*' }),
    'an escaped spelling of its JSON': forge(
      shared,
      JSON.stringify(claims).replaceAll('src_1', String.raw`\u0073rc_1`),
    ),
  };
}

/** Tokens that must be refused at `nowSeconds`, by what is wrong with each (threat model, T-33). */
export function forgedTokens(nowSeconds: number): Readonly<Record<string, string>> {
  return {
    ...wrongAlgorithms(nowSeconds),
    ...wrongKeys(nowSeconds),
    ...wrongHeaders(nowSeconds),
    ...wrongClaims(nowSeconds),
    ...wrongTimes(nowSeconds),
    ...wrongTexts(nowSeconds),
  };
}

function wrongAlgorithms(nowSeconds: number): Record<string, string> {
  const { shared, paired, claims } = goodParts(nowSeconds);
  const none = (alg: string) => forge({ ...shared, alg }, claims, () => '');
  return {
    'alg none, no signature': none('none'),
    'alg nOnE with a signature': forge({ ...shared, alg: 'nOnE' }, claims),
    'HS256 with the public key as PEM for a secret': forge({ ...paired, alg: 'HS256' }, claims, hmac(publicPem)),
    'HS256 with the public key as bytes for a secret': forge({ ...paired, alg: 'HS256' }, claims, hmac(publicBytes())),
    'EdDSA named with the kid of a shared secret': forge({ ...shared, alg: 'EdDSA' }, claims, ed25519(privateKey)),
    'HS512 by the shared secret': forge({ ...shared, alg: 'HS512' }, claims, hmac(SHARED_SECRET, 'sha512')),
    'RS256 by a key of its own': forge({ ...shared, alg: 'RS256' }, claims, (text) =>
      sign('sha256', Buffer.from(text), rsaPair.privateKey).toString('base64url'),
    ),
    'no alg': forge({ kid: 'shared', typ: shared['typ'] }, claims),
  };
}

function publicBytes(): Buffer {
  return Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
}

function wrongKeys(nowSeconds: number): Record<string, string> {
  const { shared, paired, claims } = goodParts(nowSeconds);
  const { kid: _, ...nameless } = shared;
  const withKid = (kid: unknown, secret = SHARED_SECRET) => forge({ ...shared, kid }, claims, hmac(secret));
  return {
    'no kid': forge(nameless, claims),
    'an unknown kid': withKid('other'),
    'a kid that is a path, with an empty secret': withKid('../../../../dev/null', ''),
    'a kid that every object has': withKid('constructor'),
    'a kid that is the prototype': withKid('__proto__'),
    'a kid that is a number': withKid(0),
    'another secret': forge(shared, claims, hmac(`${SHARED_SECRET}!`)),
    'an empty secret': forge(shared, claims, hmac('')),
    'another private key': forge(paired, claims, ed25519(otherPair.privateKey)),
    'a signature of another token': moved(forge(shared, { ...claims, jti: 'jti-2' }), forge(shared, claims)),
    'a signature of zeros': forge(paired, claims, () => Buffer.alloc(64).toString('base64url')),
    'no signature': forge(shared, claims, () => ''),
  };
}

/** The signed part of one token with the signature of another. */
function moved(from: string, to: string): string {
  return `${to.slice(0, to.lastIndexOf('.'))}.${from.slice(from.lastIndexOf('.') + 1)}`;
}

function wrongHeaders(nowSeconds: number): Record<string, string> {
  const { shared, paired, claims } = goodParts(nowSeconds);
  const jwk = otherPair.publicKey.export({ format: 'jwk' });
  const { typ: _, ...untyped } = shared;
  const byOther = (more: Members) => forge({ ...paired, ...more }, claims, ed25519(otherPair.privateKey));
  return {
    'a jwk that brings its own key': byOther({ jwk }),
    'a jku that names its own keys': byOther({ jku: 'https://evil.test/jwks.json' }),
    'a crit that is not known': forge({ ...shared, crit: ['exp'] }, claims),
    'a crit of b64': forge({ ...shared, crit: ['b64'], b64: false }, claims),
    'no typ': forge(untyped, claims),
    'the typ of any JWT': forge({ ...shared, typ: 'JWT' }, claims),
    'a header that is a list': forge('["HS256"]', claims),
  };
}

function wrongClaims(nowSeconds: number): Record<string, string> {
  const { shared, claims } = goodParts(nowSeconds);
  const text = JSON.stringify(claims);
  const without = (name: string) =>
    forge(shared, Object.fromEntries(Object.entries(claims).filter(([each]) => each !== name)));
  const with_ = (more: Members) => forge(shared, { ...claims, ...more });
  return {
    'no aud': without('aud'),
    'an aud of another site': with_({ aud: 'https://other.test' }),
    'an aud that begins alike': with_({ aud: `${AUDIENCE}.evil.test` }),
    'no jti': without('jti'),
    'an empty jti': with_({ jti: '' }),
    'no sources': without('sources'),
    'sources as a text': with_({ sources: 'src_1' }),
    'sources with * among ids': with_({ sources: ['*'] }),
    'sources that are no ids': with_({ sources: ['../secret'] }),
    'an empty list of origins': with_({ origins: [] }),
    'an origin with a path': with_({ origins: [`${PORTAL}/`] }),
    'the origin null': with_({ origins: ['null'] }),
    'a jti that is taken back': with_({ jti: 'taken-back' }),
    'claims that are no JSON': forge(shared, `${text}}`),
  };
}

function wrongTimes(nowSeconds: number): Record<string, string> {
  const { shared, claims } = goodParts(nowSeconds);
  const timed = (iat: unknown, exp: unknown) => forge(shared, { ...claims, iat, exp });
  const { iat: _iat, ...unissued } = claims;
  const { exp: _exp, ...endless } = claims;
  return {
    'no exp': forge(shared, endless),
    'no iat': forge(shared, unissued),
    'an exp of 1e300': forge(shared, JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e300')),
    'an exp as a text': timed(nowSeconds, String(nowSeconds + 300)),
    'an exp with a fraction': timed(nowSeconds, nowSeconds + 300.5),
    'an exp that is null': timed(nowSeconds, null),
    'a life of 601 s': timed(nowSeconds, nowSeconds + 601),
    'a life of ten years': timed(nowSeconds, nowSeconds + 315_360_000),
    'an end 30 s ago': timed(nowSeconds - 330, nowSeconds - 30),
    'an nbf still to come': forge(shared, { ...claims, nbf: nowSeconds + 300 }),
  };
}

function wrongTexts(nowSeconds: number): Record<string, string> {
  const { shared, claims } = goodParts(nowSeconds);
  const good = forge(shared, claims);
  const [header = '', payload = '', signature = ''] = good.split('.');
  return {
    'two parts': `${header}.${payload}`,
    'four parts': `${good}.AAAA`,
    'another spelling of the last character': respelt(good),
    padding: `${good}=`,
    'a blank within': `${header}. ${payload}.${signature}`,
    'a comma and another': `${good},${good}`,
    'more than 4,096 characters': forge(shared, { ...claims, more: 'x'.repeat(4_096) }),
    'nested a thousand deep': forge(shared, `${'['.repeat(1_000)}${']'.repeat(1_000)}`),
  };
}

/** The same token for a forgiving decoder: the last character of 43 has two bits that mean nothing. */
function respelt(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(token.at(-1) ?? '');
  return token.slice(0, -1) + alphabet[last ^ 1];
}
