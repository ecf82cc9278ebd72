import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { keyNameOf } from '../upstream/api-key.ts';

/** Derives secrets from the key of the upstream, one for each purpose, without revealing the key. */
export interface SecretSource {
  derive(purpose: string): Buffer;
}

/** Length of a namespace's name and of a signature, in bytes. */
const DIGEST_BYTES = 16;

/** AES with authentication (NIST SP 800-38D), with the lengths that it recommends. */
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ENCRYPTION_PURPOSE = 'pulse-card encryption 1';

/**
 * The Redis keys of one API key on one upstream. The name comes from both by a keyed digest, so that no two collide and none
 * reveals the key; the braces keep the keys in one slot of a Redis cluster.
 */
export class KeyNamespace {
  /** Names the key without revealing it. */
  readonly keyName: string;
  readonly #name: string;
  readonly #signingKey: Buffer;
  readonly #secret: SecretSource;

  constructor(secret: SecretSource, baseUrl: string) {
    this.#secret = secret;
    this.keyName = keyNameOf(secret);
    this.#name = digest(secret.derive('pulse-card namespace 1'), [baseUrl]).toString('base64url');
    this.#signingKey = secret.derive('pulse-card signature 1');
  }

  /** The name of a key in Redis, or of a channel. */
  key(...parts: readonly string[]): string {
    return [`pulse:{${this.#name}}`, ...parts].join(':');
  }

  /** What only those who have the key of the upstream can make of these parts. */
  signature(parts: readonly string[]): string {
    return digest(this.#signingKey, [this.#name, ...parts]).toString('base64url');
  }

  /** Encrypts a text with a secret derived from the key of the upstream. */
  encrypt(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#secret.derive(ENCRYPTION_PURPOSE), nonce);
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
  }

  /** Decrypts a text; undefined where it was not encrypted, or with another key. */
  decrypt(encrypted: string): string | undefined {
    const bytes = Buffer.from(encrypted, 'base64url');
    try {
      const [nonce, tag] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)];
      const decipher = createDecipheriv(CIPHER, this.#secret.derive(ENCRYPTION_PURPOSE), nonce, {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(tag);
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }

  verify(signature: string, parts: readonly string[]): boolean {
    const [given, right] = [Buffer.from(signature), Buffer.from(this.signature(parts))];
    return given.length === right.length && timingSafeEqual(given, right);
  }
}

/** The parts are joined as JSON, so that no two lists give the same text. */
function digest(secret: Buffer, parts: readonly string[]): Buffer {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest().subarray(0, DIGEST_BYTES);
}
