import { type CryptoKey, importJWK } from 'jose';
import { z } from 'zod';
import { MIN_SECRET_BYTES, TOKEN_ID } from './rules.ts';

/** The algorithms of tokens. One signs with a private key, and the other with a shared secret. */
export type TokenAlgorithm = 'EdDSA' | 'HS256';

/** A key that verifies tokens, with its algorithm. A token's `alg` is not used to choose the algorithm. */
export type TokenKey =
  | { readonly algorithm: 'EdDSA'; readonly key: CryptoKey }
  | { readonly algorithm: 'HS256'; readonly key: Uint8Array };

/** The keys that verify tokens, and the tokens that are revoked. */
export interface TokenKeySet {
  /** By their `kid`. */
  readonly keys: ReadonlyMap<string, TokenKey>;
  /** The `jti` of each revoked token. */
  readonly revoked: ReadonlySet<string>;
}

/** The beginning of a PEM key or JWK, which a user may have pasted instead of a secret. */
const KEY_OF_A_PAIR = /-----BEGIN|^\s*(?:ssh-|ecdsa-|\{)/;

/** The key file isn't valid. The message says where and why, without quoting the file. */
export class TokenKeysError extends Error {
  constructor(fault: string) {
    super(fault);
    this.name = 'TokenKeysError';
  }
}

const id = z.string().regex(TOKEN_ID, 'must be 1 to 128 visible ASCII characters, without spaces');
const base64url = z.string().refine(isBase64url, 'must be base64url');

/** The bytes of a shared secret. */
const secretBytes = z
  .instanceof(Uint8Array)
  .refine(({ length }) => length >= MIN_SECRET_BYTES, `must be at least ${MIN_SECRET_BYTES} bytes long`)
  .refine(
    (bytes) => !KEY_OF_A_PAIR.test(Buffer.from(bytes).toString('latin1')),
    'must be a shared secret, not a key from a key pair',
  );

const secretSchema = z.object({
  kid: id,
  secret: z
    .string('must be text')
    .transform((text) => new TextEncoder().encode(text))
    .pipe(secretBytes),
});

const jwkSchema = z.discriminatedUnion(
  'kty',
  [
    z.object({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519', 'must be Ed25519'),
      kid: id,
      x: base64url,
      d: z.never('must be omitted, because the file contains only public keys').optional(),
      alg: z.literal('EdDSA', 'must be EdDSA').optional(),
      use: z.literal('sig', 'must be sig').optional(),
    }),
    z.object({
      kty: z.literal('oct'),
      kid: id,
      k: base64url.transform((text) => new Uint8Array(Buffer.from(text, 'base64url'))).pipe(secretBytes),
      alg: z.literal('HS256', 'must be HS256').optional(),
      use: z.literal('sig', 'must be sig').optional(),
    }),
  ],
  'must be OKP (Ed25519) or oct',
);

/** A JWKS (RFC 7517), a list of shared secrets, or an object with both and the IDs of revoked tokens. */
const fileSchema = z
  .string()
  .transform((text, context): unknown => {
    try {
      const document: unknown = JSON.parse(text);
      return Array.isArray(document) ? { secrets: document } : document;
    } catch {
      context.addIssue('isn’t JSON');
      return z.NEVER;
    }
  })
  .pipe(
    z.object(
      {
        keys: z.array(jwkSchema, 'must be a list').default([]),
        secrets: z.array(secretSchema, 'must be a list').default([]),
        revoked: z.array(id, 'must be a list').default([]),
      },
      'must be an object or a list',
    ),
  );

/**
 * Reads token keys from `text`. The text is a JWKS (RFC 7517) with `OKP` (Ed25519) or `oct` keys, a list of `{ kid,
 * secret }`, or an object with `keys`, `secrets`, and `revoked`. Rejects with `TokenKeysError`.
 */
export async function parseTokenKeys(text: string): Promise<TokenKeySet> {
  const { data, error } = fileSchema.safeParse(text.replace(/^\uFEFF/, ''));
  if (data === undefined) throw new TokenKeysError(faultOf(error?.issues[0]));
  const { keys: jwks, secrets, revoked } = data;
  const keys = new Map<string, TokenKey>();
  for (const [at, jwk] of jwks.entries()) add(keys, jwk.kid, await keyOf(jwk, `keys[${at}]`), `keys[${at}]`);
  for (const [at, { kid, secret }] of secrets.entries())
    add(keys, kid, { algorithm: 'HS256', key: secret }, `secrets[${at}]`);
  if (keys.size === 0) throw new TokenKeysError('holds no key');
  return { keys, revoked: new Set(revoked) };
}

/** Zod's messages contain the expected value, never the given one. */
function faultOf(issue: z.core.$ZodIssue | undefined): string {
  const path = (issue?.path ?? [])
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  return `${path.slice(1) || 'the document'}: ${issue?.message ?? 'isn’t valid'}`;
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

function add(keys: Map<string, TokenKey>, kid: string, key: TokenKey, where: string): void {
  if (keys.has(kid)) throw new TokenKeysError(`${where}.kid: is also the kid of another key`);
  keys.set(kid, key);
}

/**
 * Returns whether `text` is canonical base64url (RFC 4648, 3.5). Decoders also accept spaces, padding, and spare bits
 * at the end, so one token would have many spellings.
 */
export function isBase64url(text: string): boolean {
  return /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;
}
