/** The claims in a fake token. */
export interface FakeClaims {
  /** The reader. If omitted, cards treat each token as a different reader. */
  readonly sub?: string;
  /** How long the token is valid. A negative number creates an expired token. @default 300 */
  readonly expiresInSeconds?: number;
  /** Additional claims, such as `aud` or `sources`. */
  readonly [claim: string]: unknown;
}

/** Creates a token for a reader of a `FakeBff`. Cards treat it like a real one. Its signature isn't valid. */
export function fakeToken({ expiresInSeconds = 300, ...claims }: FakeClaims = {}): string {
  const iat = Math.floor(Date.now() / 1_000);
  return [{ alg: 'none', typ: 'JWT' }, { iat, exp: iat + expiresInSeconds, ...claims }, 'fake'].map(encoded).join('.');
}

/** The reader in a request's `Authorization` header. Undefined if the token is malformed or has expired. */
export function readerOf(authorization: string): string | undefined {
  try {
    const [, payload = ''] = authorization.replace(/^Bearer /, '').split('.');
    const { sub, exp } = decoded(payload) as { sub?: string; exp?: number };
    return exp !== undefined && exp * 1_000 > Date.now() ? sub : undefined;
  } catch {
    return undefined;
  }
}

/** JSON in Base64URL (RFC 7515, section 2). */
function encoded(value: unknown): string {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

function decoded(text: string): unknown {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (char) => char.codePointAt(0) ?? 0)));
}
