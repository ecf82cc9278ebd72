import { createHmac, timingSafeEqual } from 'node:crypto';

/** Makes secrets out of the key of the upstream, one for each purpose, without showing the key. */
export interface SecretSource {
  derive(purpose: string): Buffer;
}

/** Length of a tenant's name and of a seal, in bytes. */
const DIGEST_BYTES = 16;

/**
 * One key on one upstream: whose budget and whose answers. Its name in Redis comes from both by a keyed digest, so that
 * no two collide and none tells anything of the key; the braces keep its keys in one slot of a cluster.
 */
export class Tenant {
  readonly #name: string;
  readonly #sealing: Buffer;

  constructor(secret: SecretSource, baseUrl: string) {
    this.#name = digest(secret.derive('pulse-card tenant 1'), [baseUrl]).toString('base64url');
    this.#sealing = secret.derive('pulse-card seal 1');
  }

  /** The name of a key in Redis, or of a channel. */
  key(...parts: readonly string[]): string {
    return [`pulse:{${this.#name}}`, ...parts].join(':');
  }

  /** What only those who have the key of the upstream can make of these parts. */
  seal(parts: readonly string[]): string {
    return digest(this.#sealing, [this.#name, ...parts]).toString('base64url');
  }

  isSealed(seal: string, parts: readonly string[]): boolean {
    const [given, right] = [Buffer.from(seal), Buffer.from(this.seal(parts))];
    return given.length === right.length && timingSafeEqual(given, right);
  }
}

/** As JSON, no two lists of parts are the same text. */
function digest(secret: Buffer, parts: readonly string[]): Buffer {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest().subarray(0, DIGEST_BYTES);
}
