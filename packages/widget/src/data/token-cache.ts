/** Returns a token for private pulses, or a promise of one. */
export type TokenProvider = () => string | Promise<string>;

/** A token is renewed this long before it expires: longer than a request takes. */
const RENEW_BEFORE_MS = 10_000;

const PROVIDER_TIMEOUT_MS = 10_000;

/** The token of one provider, asked for once and shared until shortly before it expires. */
export class TokenCache {
  readonly #provider: TokenProvider;
  #token: Promise<string> | undefined;
  /** When the provider is asked again, in milliseconds since 1970. */
  #renewAt = 0;

  constructor(provider: TokenProvider) {
    this.#provider = provider;
  }

  /** Rejects if the provider fails, gives no JWT, or takes longer than 10 s. */
  get(): Promise<string> {
    if (!this.#token || Date.now() >= this.#renewAt) {
      this.#renewAt = Infinity;
      this.#token = this.#ask().catch((error: unknown) => {
        this.#token = undefined;
        throw error;
      });
    }
    return this.#token;
  }

  /** Drops `token`, which the BFF has refused, unless it was renewed meanwhile. */
  drop(token: Promise<string>): void {
    if (this.#token === token) this.#token = undefined;
  }

  async #ask(): Promise<string> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new DOMException('late', 'TimeoutError')), PROVIDER_TIMEOUT_MS);
    });
    try {
      const token = await Promise.race([this.#provider(), timeout]);
      const payload = (token.split('.')[1] as string).replaceAll('-', '+').replaceAll('_', '/');
      this.#renewAt = (JSON.parse(atob(payload)) as { exp: number }).exp * 1_000 - RENEW_BEFORE_MS;
      return token;
    } finally {
      clearTimeout(timer);
    }
  }
}

const constantProviders = new Map<string, TokenProvider>();

/** The provider that always returns `token`; elements with the same token share it. */
export function constantProvider(token: string): TokenProvider {
  const provider = constantProviders.get(token) ?? (() => token);
  constantProviders.set(token, provider);
  return provider;
}

/** Forgets the token of `provider`, if that is constant. */
export function forgetConstant(provider: TokenProvider): void {
  for (const [token, known] of constantProviders) if (known === provider) constantProviders.delete(token);
}
