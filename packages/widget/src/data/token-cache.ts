import { type Failure, failureOf } from './result.ts';

/** Returns a token for private pulses, or a promise of one. */
export type TokenProvider = () => string | Promise<string>;

/** The parts of a token that are read here. The BFF verifies the token. */
export interface Token {
  readonly ok: true;
  readonly text: string;
  /** The reader of the token: its `sub`, or the whole token if there is none. */
  readonly reader: string;
  /** The `aud` of the token: the BFFs that it is for. */
  readonly audiences: readonly unknown[];
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A token is renewed this long before it expires: longer than a request takes. */
const RENEW_BEFORE_MS = 10_000;

const PROVIDER_TIMEOUT_MS = 10_000;

/** The token of one provider. It is requested once and shared until shortly before it expires. */
export class TokenCache {
  /** The last token that arrived, valid or not. */
  last: Token | undefined;
  readonly #provider: TokenProvider;
  readonly #onReaderChange: () => void;
  #isValid = false;
  #renewal: Promise<Token | Failure> | undefined;

  /** `onReaderChange` is called when the provider returns a token of a different reader, before the token is used. */
  constructor(provider: TokenProvider, onReaderChange: () => void) {
    this.#provider = provider;
    this.#onReaderChange = onReaderChange;
  }

  /** The token, or a failure. */
  get(): Promise<Token | Failure> {
    const isFresh = this.#isValid && this.last && Date.now() < this.last.expiresAt - RENEW_BEFORE_MS;
    return isFresh ? Promise.resolve(this.last as Token) : (this.#renewal ??= this.#renew());
  }

  /** Drops `token`, which the BFF has refused, unless it was renewed meanwhile. */
  drop(token: Token): void {
    if (token === this.last) this.#isValid = false;
  }

  /** Makes the next request call the provider again. */
  forget(): void {
    this.#isValid = false;
    this.#renewal = undefined;
  }

  #renew(): Promise<Token | Failure> {
    const renewal: Promise<Token | Failure> = askFor(this.#provider).then((token) => {
      // The token was dropped meanwhile. It may belong to a reader who has signed out.
      if (this.#renewal !== renewal) return this.get();
      this.#renewal = undefined;
      if (token.ok) this.#store(token);
      return token;
    });
    return renewal;
  }

  #store(token: Token): void {
    const before = this.last;
    this.last = token;
    this.#isValid = true;
    if (before && before.reader !== token.reader) this.#onReaderChange();
  }
}

async function askFor(provider: TokenProvider): Promise<Token | Failure> {
  if (typeof provider !== 'function')
    return { ...failureOf('token_missing', 0), advice: `tokenProvider is a ${typeof provider}; set a function` };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException('late', 'TimeoutError')), PROVIDER_TIMEOUT_MS);
  });
  try {
    return parseToken(await Promise.race([provider(), timeout]));
  } catch (error) {
    return providerFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

/** The failure of a provider that threw. It is `signed_out` after a 401 or 403, or if the provider read a login page instead of JSON. */
function providerFailure(cause: unknown): Failure {
  const { status, name } = (cause ?? {}) as { status?: unknown; name?: unknown };
  const advice = `tokenProvider failed: ${cause instanceof Error ? cause.message : `status ${String(status)}`}`;
  if (status === 401 || status === 403) return { ...failureOf('signed_out', status), cause, advice };
  const code = name === 'TimeoutError' ? 'timeout' : name === 'SyntaxError' ? 'signed_out' : 'network';
  return { ...failureOf(code, 0), cause, advice };
}

function parseToken(text: string): Token | Failure {
  // An HTML page instead of a token asks the reader to sign in.
  if (/^\s*</.test(text)) return { ...failureOf('signed_out', 0), advice: 'tokenProvider returned a page' };
  try {
    const payload = (text.split('.')[1] as string).replaceAll('-', '+').replaceAll('_', '/');
    const { sub, aud, exp } = JSON.parse(atob(payload)) as { sub?: unknown; aud?: unknown; exp: number };
    const reader = typeof sub === 'string' ? `sub ${sub}` : text;
    return { ok: true, text, reader, audiences: [aud].flat(), expiresAt: exp * 1_000 };
  } catch (cause) {
    return { ...failureOf('invalid_answer', 0), cause, advice: 'tokenProvider returned no token' };
  }
}
