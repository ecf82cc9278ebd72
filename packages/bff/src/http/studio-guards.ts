import type { IncomingHttpHeaders } from 'node:http';
import { FULL_ACCESS } from '../auth/access-grant.ts';
import { hasBody, type RequestGuards } from './request-guards.ts';

/** Admits every request to all sources, for the operator's own pages: no origin, no token, no limit. */
export function operatorGuards(isStopping: () => boolean): RequestGuards {
  return (context) => {
    context.accessGrant = FULL_ACCESS;
    context.isPrivate = true;
    context.isStopping = isStopping;
    if (isStopping() || hasBody(context.request)) context.headers.push('Connection', 'close');
    return true;
  };
}

/**
 * Says whether a browser asks on behalf of a page of another origin (Fetch Metadata). Programs and old browsers send no such
 * header.
 */
export function isFromOtherSite({ 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Says whether a POST comes from a page of this very origin, or from a program, which sends no `Origin`. */
export function isSameOriginPost({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site === 'same-origin';
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
