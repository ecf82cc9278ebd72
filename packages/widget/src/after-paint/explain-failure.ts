import type { Failure } from '../data/result.ts';

/** The facts about a failed request. */
export interface RequestFacts {
  /** The BFF's URL, resolved against the page. */
  readonly bff: string;
  /** Null for a board's list. */
  readonly sourceId: string | null;
  readonly hasToken: boolean;
}

/** One line for the page's developer that describes the failure and how to fix it. */
export function explainFailure(failure: Failure, { bff, sourceId, hasToken }: RequestFacts): string {
  const { code, status } = failure;
  // Names the source only if the failure depends on it, so that a failure that affects all cards is logged only once.
  const what = /^(source_unknown|token_forbidden)$/.test(code) ? `"${sourceId}" ` : '';
  const hint = hintFor(failure) + (!hasToken && mayLackCookie(code, bff) ? SAME_ORIGIN_ONLY : '');
  return `Can’t load ${what}from ${bff} on ${location.origin} (${status} ${code}): ${hint}`;
}

const SAME_ORIGIN_ONLY = '. A mounted BFF gets cookies only from pages with the same origin (SameSite)';

/**
 * Whether the BFF might be mounted in an application whose cookie isn't sent, because the page has a different origin.
 */
function mayLackCookie(code: string, bff: string): boolean {
  // Browsers older than Chrome 126 and Safari 18 don't have `URL.parse()`.
  const { origin, pathname } = URL.canParse(bff) ? new URL(bff) : location;
  if (origin === location.origin) return false;
  // Without a cookie, a portal redirects to its login, and the browser blocks the redirect.
  // A BFF that isn't mounted rarely has a path in its URL.
  return code === 'network' ? pathname !== '/' : code === 'signed_out' || code === 'token_forbidden';
}

function hintFor({ code, status, advice }: Failure): string {
  if (advice) return advice;
  if (code === 'signed_out') return 'sign in';
  if (code === 'token_forbidden') return 'this reader can’t see this source';
  if (code !== 'network') return 'check base-url';
  return status > 0 ? 'a proxy responded; check that the BFF is running' : 'check base-url and the page’s connect-src';
}
