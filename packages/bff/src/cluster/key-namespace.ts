import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { keyNameOf } from '../upstream/api-key.ts';

/** Makes secrets out of the key of the upstream, one for each purpose, without showing the key. */
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
 * One key on one upstream: whose budget and whose answers. Its name in Redis comes from both by a keyed digest, so that
 * no two collide and none tells anything of the key; the braces keep its keys in one slot of a cluster.
 */
export class KeyNamespace {
  /** Names the key without telling it. */
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

  /** What only those who have the key of the upstream can read. */
  encrypt(text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#secret.derive(ENCRYPTION_PURPOSE), nonce);
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
  }

  /** The text that was encrypted; undefined where it was not, or with another key. */
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

/** As JSON, no two lists of parts are the same text. */
function digest(secret: Buffer, parts: readonly string[]): Buffer {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest().subarray(0, DIGEST_BYTES);
}
