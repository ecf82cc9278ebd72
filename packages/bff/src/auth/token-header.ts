import { TOKEN_ID, isBase64url } from './token-key-set.ts';

/** Longest token, in characters: fifty long ids fit, and the headers of a request do. */
export const MAX_TOKEN_LENGTH = 4_096;

/** The `typ` of every token, so that no other token of the same issuer is taken for one (RFC 8725, 3.11). */
export const TOKEN_TYPE = 'pulse-embed+jwt';

/** All that a header may say. Whatever asks for more (`crit`, `jku`, `jwk`, `x5c`, `b64`, `zip`, …) is refused. */
const HEADER_NAMES: ReadonlySet<string> = new Set(['alg', 'kid', 'typ']);

/** What the header of a token says. */
export interface TokenHeader {
  readonly alg: unknown;
  readonly kid: string;
}

/** Why a token is none, in a word. */
export type TokenHeaderError = 'too_long' | 'malformed' | 'header';

/** Reads the header of a token whose text is beyond doubt: canonical, no name twice, nothing in the header but what is known. */
export function parseTokenHeader(token: string): TokenHeader | TokenHeaderError {
  if (token.length > MAX_TOKEN_LENGTH) return 'too_long';
  const parts = token.split('.');
  if (parts.length !== 3 || !parts.every(isBase64url)) return 'malformed';
  const [header, claims] = parts.map(readObject);
  if (header === undefined || claims === undefined) return 'malformed';
  return readHeader(header);
}

function readHeader(header: Readonly<Record<string, unknown>>): TokenHeader | TokenHeaderError {
  const { alg, kid, typ } = header;
  if (!Object.keys(header).every((name) => HEADER_NAMES.has(name)) || typ !== TOKEN_TYPE) return 'header';
  return typeof kid === 'string' && TOKEN_ID.test(kid) ? { alg, kid } : 'header';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readObject(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json = utf8.decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return hasDuplicateKeys(json, value) ? undefined : (value as Record<string, unknown>);
  } catch {
    return undefined;
  }
}

/** Every string of a JSON text, with the colon after it where it is a name. */
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/gs;

/**
 * Returns whether an object in `json`, a text that parses to `value`, has a name twice. Parsers differ in which of two values they
 * take (RFC 8259, 4), so what one part of a system checks need not be what another one uses.
 */
export function hasDuplicateKeys(json: string, value: unknown): boolean {
  let written = 0;
  for (const [, colon] of json.matchAll(STRINGS)) if (colon !== undefined) written += 1;
  return written !== countOfKeys(value);
}

function countOfKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const values: unknown[] = Object.values(value);
  return values.reduce<number>((sum, inner) => sum + countOfKeys(inner), Array.isArray(value) ? 0 : values.length);
}
