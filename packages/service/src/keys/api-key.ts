import { createHash, randomBytes } from 'node:crypto';

/** The number of random bytes in a key's secret: 256 bits. */
const SECRET_BYTES = 32;
/** The number of random bytes in a key's ID. The ID isn't a secret. */
const ID_BYTES = 8;

/**
 * `pk_`, the key's ID, and the secret in base64url. Secret scanners recognize a key by its shape, and people recognize
 * it by its ID.
 */
const KEY_PATTERN = /^pk_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

/** A new key and its ID. */
export interface NewKey {
  id: string;
  /** The key itself. It is shown once and never stored. */
  text: string;
}

/** Generates a key from fresh randomness. */
export function generateKey(): NewKey {
  const id = randomBytes(ID_BYTES).toString('hex');
  return { id, text: `pk_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}` };
}

/** The ID in a key, or undefined if the string can’t be a key. */
export function parseKeyId(text: string): string | undefined {
  return KEY_PATTERN.exec(text)?.[1];
}

/** The stored form of a key: SHA-256, which is enough for 256 random bits. */
export function hashKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
