import { createHash, randomBytes } from 'node:crypto';

/** Random bytes of a key's secret: 256 bits. */
const SECRET_BYTES = 32;
/** Random bytes of a key's id; the id is no secret. */
const ID_BYTES = 8;

/** `pk_`, the key's id, and the secret in base64url: scanners know it by its shape, people by its id. */
const KEY_SHAPE = /^pk_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

/** A new key and the id that it is known by. */
export interface NewKey {
  id: string;
  /** The key itself: to be shown once and never stored. */
  text: string;
}

/** Makes a key out of fresh randomness. */
export function makeKey(): NewKey {
  const id = randomBytes(ID_BYTES).toString('hex');
  return { id, text: `pk_${id}_${randomBytes(SECRET_BYTES).toString('base64url')}` };
}

/** The id inside a key's text, or undefined where the text cannot be a key. */
export function keyIdIn(text: string): string | undefined {
  return KEY_SHAPE.exec(text)?.[1];
}

/** What is stored of a key: SHA-256, which is enough for 256 random bits. */
export function keyDigest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
