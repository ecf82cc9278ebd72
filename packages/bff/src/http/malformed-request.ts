import type { IncomingMessage } from 'node:http';

/**
 * Says what is wrong with a request that another server on the way may read differently, or undefined:
 * two `Host` headers, or none since HTTP/1.1 (RFC 9112, 3.2), or a body where none has a meaning.
 */
export function malformationOf(request: IncomingMessage): string | undefined {
  const hosts = countOfHosts(request.rawHeaders);
  if (hosts > 1) return 'The request is malformed: it names more than one host';
  if (hosts === 0 && request.httpVersion !== '1.0') return 'The request is malformed: it names no host';
  if (hasBody(request)) return 'The request is malformed: it must have no body';
  return undefined;
}

/** Returns whether a body follows the headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

function countOfHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
