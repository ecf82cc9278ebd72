import { hkdfSync } from 'node:crypto';
import { inspect } from 'node:util';
import { KEY_HEADER } from '@pulse-card/contract';

/** What a key may look like: one line of visible ASCII, so that it can be sent as a header and nothing else. */
const KEY_PATTERN = /^[\x21-\x7e]{8,256}$/;

/** What is shown of a key, wherever anything tries to show it. */
const REDACTED = '[redacted]';

/** A name for a key that only those who have the key can make, and that does not tell it. */
export function keyNameOf(key: { derive(purpose: string): Buffer }): string {
  return key.derive('pulse-card key name 1').toString('base64url').slice(0, 22);
}

/** A key of the upstream. Its value leaves this object only in the header of a request. */
export class ApiKey {
  readonly #value: string;
  #name: string | undefined;

  private constructor(value: string) {
    this.#value = value;
  }

  /** Takes a key out of `text`, where one line break may follow it; undefined where `text` can't be a key. */
  static from(text: string): ApiKey | undefined {
    const value = text.replace(/\r?\n$/, '');
    return KEY_PATTERN.test(value) ? new ApiKey(value) : undefined;
  }

  /** The request header that carries the key. */
  header(): Record<string, string> {
    return { [KEY_HEADER]: this.#value };
  }

  /** A secret of 32 bytes that only those who have the key can make, and from which the key can't be had (RFC 5869). */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#value, '', purpose, 32));
  }

  /** Names the key without telling it: the same for the same key, wherever and whenever. */
  get name(): string {
    this.#name ??= keyNameOf(this);
    return this.#name;
  }

  equals(other: ApiKey): boolean {
    return this.#value === other.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
