import { readFile } from 'node:fs/promises';

/** The error if there is no token that can be sent. Its message never contains a token. */
export class TokenError extends Error {}

/** Printable ASCII without spaces, so that it can be a header value. */
const TOKEN = /^[!-~]{1,8192}$/;

/** Reads the token from a file. Rejects with `TokenError` if there is none. */
export async function readTokenFile(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new TokenError(`the token file can't be read (${code ?? 'unknown error'})`);
  });
  return checkedToken(text.trim());
}

/** The token, if a header can contain it. Throws `TokenError` if not. */
export function checkedToken(token: unknown): string {
  if (token === '') throw new TokenError('the token is empty');
  if (typeof token !== 'string' || !TOKEN.test(token))
    throw new TokenError('it contains characters that no token can have, or is too long');
  return token;
}
