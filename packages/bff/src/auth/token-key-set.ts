import { createPublicKey, createSecretKey, type webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Clock, repeat } from '../clock.ts';
import { type Config, ConfigError } from '../config.ts';

/** The algorithms of tokens: a signature that needs a private key, and one that needs a shared secret. */
export type TokenAlgorithm = 'EdDSA' | 'HS256';

/** A key that verifies tokens, with its algorithm: the `alg` of a token does not choose one. */
export interface TokenKey {
  readonly algorithm: TokenAlgorithm;
  readonly key: webcrypto.CryptoKey;
}

/** All that tokens are judged by. */
export interface TokenKeySet {
  /** By their `kid`. */
  readonly keys: ReadonlyMap<string, TokenKey>;
  /** The `jti` of revoked tokens. */
  readonly revoked: ReadonlySet<string>;
}

/** Shortest shared secret, in bytes: as long as the hash (RFC 7518, 3.2). */
export const MIN_SECRET_BYTES = 32;

/** What `kid` and `jti` consist of. */
export const TOKEN_ID = /^[\x21-\x7e]{1,128}$/;

/** What a secret must not be: the public half of a key pair is known to all, and a JWK is no secret text. */
const NO_SECRET = /-----BEGIN|^\s*(?:ssh-|ecdsa-|\{)/;

/** The key file is not valid; the message says where and why, without quoting the file. */
export class TokenKeysError extends Error {
  constructor(fault: string) {
    super(fault);
    this.name = 'TokenKeysRefused';
  }
}

type TimedEntry = Readonly<Record<string, unknown>>;

/**
 * Reads the keys of tokens out of `text`: a JWKS (RFC 7517) whose keys are `OKP` (Ed25519) or `oct`, a list of
 * `{ kid, secret }`, or an object with `keys`, `secrets` and `revoked`. Throws `TokenKeysError`.
 */
export function parseTokenKeys(text: string): TokenKeySet {
  const document = parsed(text);
  const { keys = [], secrets = [], revoked = [] } = Array.isArray(document) ? { secrets: document } : entryOf(document);
  const keySet = new Map<string, TokenKey>();
  for (const [at, entry] of listOf(keys, 'keys').entries()) add(keySet, entry, `keys[${at}]`, keyOfJwk);
  for (const [at, entry] of listOf(secrets, 'secrets').entries()) add(keySet, entry, `secrets[${at}]`, keyOfSecret);
  if (keySet.size === 0) throw new TokenKeysError('holds no key');
  return { keys: keySet, revoked: new Set(listOf(revoked, 'revoked').map((jti, at) => idOf(jti, `revoked[${at}]`))) };
}

/** The shared secrets in `text`, by their `kid`, in their order: what a minter signs with. Throws `TokenKeysError`. */
export function parseSharedSecrets(text: string): ReadonlyMap<string, Uint8Array> {
  const { keys: keySet } = parseTokenKeys(text);
  const document = parsed(text);
  const { keys = [], secrets = [] } = Array.isArray(document) ? { secrets: document } : entryOf(document);
  const entries = [...listOf(secrets, 'secrets'), ...listOf(keys, 'keys')].map((entry) => entryOf(entry));
  const shared = entries.filter(({ kid }) => keySet.get(String(kid))?.algorithm === 'HS256');
  return new Map(
    shared.map(({ kid, secret, k }) => [
      String(kid),
      typeof secret === 'string' ? Buffer.from(secret) : Buffer.from(String(k), 'base64url'),
    ]),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TokenKeysError('is not JSON');
  }
}

function entryOf(value: unknown, where = 'the document'): TimedEntry {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as TimedEntry;
  throw new TokenKeysError(`${where}: must be an object`);
}

function listOf(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TokenKeysError(`${where}: must be a list`);
}

function idOf(value: unknown, where: string): string {
  if (typeof value === 'string' && TOKEN_ID.test(value)) return value;
  throw new TokenKeysError(`${where}: must be 1 to 128 visible ASCII characters with no blank`);
}

function add(
  keySet: Map<string, TokenKey>,
  value: unknown,
  where: string,
  read: (entry: TimedEntry, where: string) => TokenKey,
): void {
  const entry = entryOf(value, where);
  const kid = idOf(entry['kid'], `${where}.kid`);
  if (keySet.has(kid)) throw new TokenKeysError(`${where}.kid: names a key a second time`);
  keySet.set(kid, read(entry, where));
}

function keyOfSecret({ secret }: TimedEntry, where: string): TokenKey {
  if (typeof secret !== 'string') throw new TokenKeysError(`${where}.secret: must be a text`);
  return secretKey(Buffer.from(secret), `${where}.secret`);
}

function keyOfJwk(jwk: TimedEntry, where: string): TokenKey {
  if (jwk['use'] !== undefined && jwk['use'] !== 'sig') throw new TokenKeysError(`${where}.use: must be sig`);
  if (jwk['kty'] === 'oct') return keyOfOctets(jwk, where);
  if (jwk['kty'] === 'OKP' && jwk['crv'] === 'Ed25519') return publicKey(jwk, where);
  throw new TokenKeysError(`${where}: must be of kty OKP with crv Ed25519, or of kty oct`);
}

function keyOfOctets({ k, alg }: TimedEntry, where: string): TokenKey {
  if (alg !== undefined && alg !== 'HS256') throw new TokenKeysError(`${where}.alg: must be HS256`);
  if (typeof k !== 'string' || !isBase64url(k)) throw new TokenKeysError(`${where}.k: must be base64url`);
  return secretKey(Buffer.from(k, 'base64url'), `${where}.k`);
}

function secretKey(bytes: Buffer, where: string): TokenKey {
  if (bytes.length < MIN_SECRET_BYTES)
    throw new TokenKeysError(`${where}: must have at least ${MIN_SECRET_BYTES} bytes`);
  if (NO_SECRET.test(bytes.toString('latin1')))
    throw new TokenKeysError(`${where}: must be a secret, not a key of a pair`);
  const key = createSecretKey(bytes).toCryptoKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  return { algorithm: 'HS256', key };
}

function publicKey({ alg, x, d }: TimedEntry, where: string): TokenKey {
  if (alg !== undefined && alg !== 'EdDSA') throw new TokenKeysError(`${where}.alg: must be EdDSA`);
  if (d !== undefined) throw new TokenKeysError(`${where}: must be the public half alone, without d`);
  if (typeof x !== 'string' || !isBase64url(x)) throw new TokenKeysError(`${where}.x: must be base64url`);
  try {
    const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    return { algorithm: 'EdDSA', key: key.toCryptoKey({ name: 'Ed25519' }, false, ['verify']) };
  } catch {
    throw new TokenKeysError(`${where}.x: must be an Ed25519 public key`);
  }
}

/**
 * Returns whether `text` is base64url in its one canonical spelling (RFC 4648, 3.5): decoders accept blanks, paddings and spare
 * bits at the end, so that one token would have many texts.
 */
export function isBase64url(text: string): boolean {
  return /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;
}

/** The keys of tokens, over changes of their file. */
export interface TokenKeysFile {
  /** The current keys; a new object after each change. */
  current(): TokenKeySet;
  close(): void;
}

export interface TokenKeysFileOptions {
  readonly clock: Clock;
  /** How often the file is read, in ms. */
  readonly reloadMs: number;
  readonly warn: (message: string) => void;
}

/** Watches the key file. An invalid change is ignored: the last valid keys stay. Rejects if the file is invalid at the start. */
export async function openTokenKeysFile(
  path: string,
  { clock, reloadMs, warn }: TokenKeysFileOptions,
): Promise<TokenKeysFile> {
  let text = await readText(path);
  let keySet = parseTokenKeys(text);
  let lastFault: string | undefined;

  async function look(): Promise<void> {
    let fault: string | undefined;
    try {
      const found = await readText(path);
      if (found !== text) keySet = parseTokenKeys(found);
      text = found;
    } catch (error) {
      fault = error instanceof TokenKeysError ? error.message : 'can not be read';
    }
    if (fault !== undefined && fault !== lastFault)
      warn(`Cannot take the keys of tokens from their file, those before stay in force: ${fault}`);
    lastFault = fault;
  }

  return { current: () => keySet, close: repeat(clock, reloadMs, look, () => {}) };
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new TokenKeysError('is no file that can be read');
  }
}

/** Opens the keys of tokens where access is by token. Rejects where their file is bad, naming its variable and what is wrong. */
export async function openTokenKeys(
  { tokenKeysFile, reloadMs }: Pick<Config, 'tokenKeysFile' | 'reloadMs'>,
  clock: Clock,
  warn: (message: string) => void,
): Promise<TokenKeysFile | undefined> {
  if (tokenKeysFile === undefined) return undefined;
  try {
    return await openTokenKeysFile(tokenKeysFile, { clock, reloadMs, warn });
  } catch (error) {
    // The cause would add nothing but a stack.
    // eslint-disable-next-line preserve-caught-error
    throw new ConfigError([`PULSE_TOKEN_KEYS_FILE: ${error instanceof Error ? error.message : 'is not valid'}`]);
  }
}
