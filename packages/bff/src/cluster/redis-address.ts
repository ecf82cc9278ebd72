import { inspect } from 'node:util';

/** What is shown of an address, wherever anything tries to show it: it may hold a password. */
const REDACTED = '[redacted]';

/** Where Redis is, as `redis:` or `rediss:` with user, password and database; it leaves this object only to connect. */
export class RedisAddress {
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  /** Takes an address out of `text`; undefined where `text` is none. */
  static from(text: string): RedisAddress | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^rediss?:\/\//i.test(text) || url.hostname === '') return undefined;
    const isPlain = url.search === '' && url.hash === '' && /^\/?\d{0,4}$/.test(url.pathname);
    return isPlain && isDecodable(url.username + url.password) ? new RedisAddress(url.href) : undefined;
  }

  /** The address, password included. */
  reveal(): string {
    return this.#url;
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

/** A password with a bare "%" cannot be told from one that was encoded. */
function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}
