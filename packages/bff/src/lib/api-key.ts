import { hkdfSync } from 'node:crypto';
import { Secret } from './secret.ts';

/** One line of visible ASCII, as a header value requires. */
const KEY_PATTERN = /^[\x21-\x7e]{8,256}$/;

/** An API key for the service. */
export class ApiKey extends Secret {
  #name: string | undefined;

  /** Parses `text`, which may end with a line break. Returns undefined if `text` isn't a key. */
  static from(text: string): ApiKey | undefined {
    const value = text.replace(/\r?\n$/, '');
    return KEY_PATTERN.test(value) ? new ApiKey(value) : undefined;
  }

  /** Derives a 32-byte secret (RFC 5869). The secret doesn't reveal the key. */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.reveal(), '', purpose, 32));
  }

  /**
   * A name for the key that doesn't reveal it. Equal keys have equal names in all processes. Only someone who has the
   * key can compute its name.
   */
  get name(): string {
    this.#name ??= this.derive('pulse-card key name 1').toString('base64url').slice(0, 22);
    return this.#name;
  }

  equals(other: ApiKey): boolean {
    return this.reveal() === other.reveal();
  }
}
