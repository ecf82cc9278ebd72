import type { ServerResponse } from 'node:http';
import vary from 'vary';

/**
 * Writes the head of a response. Headers that the application has already set are kept. The `Vary` and `Cache-Control`
 * values of both are joined. `headers` is name, value, name, value.
 */
export function writeMergedHead(response: ServerResponse, status: number, headers: string[]): void {
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2);
    if (name === 'Vary') vary(response, value);
    else if (name.endsWith('Cache-Control') && response.hasHeader(name))
      response.setHeader(name, joinedCacheControl(String(response.getHeader(name)), value));
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}

/**
 * Joins two `Cache-Control` values (RFC 9111, section 5.2.2). `no-store` replaces everything else, `private` overrides
 * `public`, and the smaller of two numbers is used.
 */
export function joinedCacheControl(theirs: string, ours: string): string {
  const unstored = [theirs, ours].find((value) => /\bno-store\b/i.test(value));
  if (unstored !== undefined) return unstored;
  const joined = new Map<string, string>();
  for (const directive of `${theirs},${ours}`.toLowerCase().split(',')) {
    const [name = '', value = ''] = directive.trim().split('=', 2);
    if (!(Number(joined.get(name)) < Number(value))) joined.set(name, value);
  }
  if (joined.has('private')) joined.delete('public');
  return [...joined].map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join(', ');
}
