import { type CryptoKey, importJWK } from 'jose';
import { z } from 'zod';
import { LIMITS, TOKEN_ID, TOKEN_ID_FORM } from './rules.ts';

/** A key that verifies tokens, with its algorithm. A token's `alg` isn't used to choose the algorithm. */
export type TokenKey =
  | { readonly algorithm: 'EdDSA'; readonly key: CryptoKey }
  | { readonly algorithm: 'HS256'; readonly key: Uint8Array };

/** The keys that verify tokens, and the revoked tokens. */
export interface TokenKeySet {
  /** Keyed by `kid`. */
  readonly keys: ReadonlyMap<string, TokenKey>;
  /** The `jti` of each revoked token. */
  readonly revoked: ReadonlySet<string>;
}

/** The beginning of a PEM key or JWK, which a user might have pasted instead of a secret. */
const KEY_OF_A_PAIR = /-----BEGIN|^\s*(?:ssh-|ecdsa-|\{)/;

/** The key file isn't valid. The message names the location and the error, without quoting the file. */
export class TokenKeysError extends Error {
  override readonly name = 'TokenKeysError';
}

const id = z.string(TOKEN_ID_FORM).regex(TOKEN_ID, TOKEN_ID_FORM);
const base64url = z.string().refine(isBase64url, 'must be base64url');

const isOfPair = (bytes: Uint8Array): boolean => KEY_OF_A_PAIR.test(Buffer.from(bytes).toString('latin1'));

/** A shared secret's bytes. */
const secretBytes = z
  .instanceof(Uint8Array)
  .refine(({ length }) => length >= LIMITS.minSecretBytes, `must be at least ${LIMITS.minSecretBytes} bytes long`)
  .refine((bytes) => !isOfPair(bytes), 'must be a shared secret, not a key from a key pair');

const secretText = z.string('must be text').transform((text) => new TextEncoder().encode(text));
const secretSchema = z.object({ kid: id, secret: secretText.pipe(secretBytes) });

const only = <const Word extends string>(word: Word) => z.literal(word, `must be ${word}`);
const ofEachJwk = { kid: id, use: only('sig').optional() };
const octets = base64url.transform((text) => new Uint8Array(Buffer.from(text, 'base64url'))).pipe(secretBytes);
const jwkOfPair = z.object({
  ...ofEachJwk,
  kty: only('OKP'),
  crv: only('Ed25519'),
  x: base64url,
  alg: only('EdDSA').optional(),
  d: z.never('must be omitted, because the file contains only public keys').optional(),
});
const jwkOfSecret = z.object({ ...ofEachJwk, kty: only('oct'), k: octets, alg: only('HS256').optional() });
const jwkSchema = z.discriminatedUnion('kty', [jwkOfPair, jwkOfSecret], 'must be OKP (Ed25519) or oct');
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item, 'must be a list').default([]);

const FORM = 'must be an object or a list';

/** A JWKS (RFC 7517), a list of shared secrets, or an object with both and the IDs of revoked tokens. */
const fileSchema = z.preprocess(
  (document) => (Array.isArray(document) ? { secrets: document } : document),
  z.strictObject(
    { keys: listOf(jwkSchema), secrets: listOf(secretSchema), revoked: listOf(id) },
    // If `revoked` is misspelled, it would revoke nothing.
    { error: ({ code }) => (code === 'unrecognized_keys' ? 'may contain only keys, secrets, and revoked' : FORM) },
  ),
);

/**
 * Reads token keys from `text`. The text is a JWKS (RFC 7517) with `OKP` (Ed25519) or `oct` keys, a list of `{ kid,
 * secret }`, or an object with `keys`, `secrets`, and `revoked`. Rejects with `TokenKeysError`.
 */
export async function parseTokenKeys(text: string): Promise<TokenKeySet> {
  const { data, error } = fileSchema.safeParse(documentIn(text));
  if (data === undefined) throw new TokenKeysError(faultOf(error?.issues[0]));
  const keys = new Map<string, TokenKey>();
  const add = (where: string, kid: string, key: TokenKey): void => {
    if (keys.has(kid)) throw new TokenKeysError(`${where}.kid: is also the kid of another key`);
    keys.set(kid, key);
  };
  for (const [at, jwk] of data.keys.entries()) add(`keys[${at}]`, jwk.kid, await keyOf(jwk, `keys[${at}]`));
  data.secrets.forEach(({ kid, secret: key }, at) => add(`secrets[${at}]`, kid, { algorithm: 'HS256', key }));
  if (keys.size === 0) throw new TokenKeysError('holds no key');
  return { keys, revoked: new Set(data.revoked) };
}

function documentIn(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new TokenKeysError('isn’t JSON');
  }
}

/** Zod's messages contain the expected value, never the given one. */
function faultOf(issue: z.core.$ZodIssue | undefined): string {
  const path = (issue?.path ?? []).map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
  return `${path.join('').slice(1) || 'the document'}: ${issue?.message ?? 'isn’t valid'}`;
}

async function keyOf(jwk: z.output<typeof jwkSchema>, where: string): Promise<TokenKey> {
  if (jwk.kty === 'oct') return { algorithm: 'HS256', key: jwk.k };
  try {
    const { kty, crv, x } = jwk;
    return { algorithm: 'EdDSA', key: await importJWK({ kty, crv, x }, 'EdDSA') };
  } catch {
    throw new TokenKeysError(`${where}.x: must be an Ed25519 public key`);
  }
}

/**
 * Returns whether `text` is canonical base64url (RFC 4648, 3.5). Decoders also accept spaces, padding, and spare bits
 * at the end, so without this check, the same token would have many spellings.
 */
export function isBase64url(text: string): boolean {
  return /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;
}
