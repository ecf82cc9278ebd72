import type { IncomingMessage } from 'node:http';

/** The target of a request, without the mount path. */
export interface Target {
  /** The path as sent. */
  readonly path: string;
  /** The text after the first `?`. */
  readonly query: string;
  /** Whether every server in between finds the same path and host in the target. */
  readonly isValid: boolean;
}

export function targetOf(request: IncomingMessage): Target {
  const target = originForm(request);
  if (target === undefined) return { path: '', query: '', isValid: false };
  const queryAt = target.indexOf('?');
  if (queryAt === -1) return { path: target, query: '', isValid: true };
  return { path: target.slice(0, queryAt), query: target.slice(queryAt + 1), isValid: true };
}

/**
 * Characters that different servers interpret in different ways. Some servers treat `\\` as `/`, and some cut the
 * target at `#`.
 */
// eslint-disable-next-line no-control-regex -- this pattern must find control characters
const AMBIGUOUS = /[\u0000-\u0020\u007f#\\]/;

const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)(.*)$/i;

/**
 * Returns the target of a request as path and query, even if the request has an absolute URL (RFC 9112, 3.2.2).
 * Undefined if another server could find a different path or host in the target.
 */
function originForm({ url = '/', headers }: IncomingMessage): string | undefined {
  if (AMBIGUOUS.test(url)) return undefined;
  if (url.startsWith('/') || url === '*') return url;
  const [, host, rest = ''] = ABSOLUTE_FORM.exec(url) ?? [];
  if (host === undefined || host.toLowerCase() !== (headers.host ?? host).toLowerCase()) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Returns a path segment, percent-decoded once; undefined if its encoding is invalid. */
export function decodedSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
