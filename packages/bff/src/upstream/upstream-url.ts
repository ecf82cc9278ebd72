import { isSourceId, pulsePath, ROUTES } from '@pulse-card/contract';
import { LIST_ID } from './subject.ts';

/**
 * Returns the URL under `base` to request `subject` from. The base may have a path. Throws unless the result is exactly
 * the base plus the route. No id can therefore point outside the base.
 */
export function upstreamUrl(base: URL, subject: string): URL {
  const path = base.pathname.replace(/\/+$/, '') + routeOf(subject);
  const url = new URL(base.origin + path);
  if (url.origin !== base.origin || url.pathname !== path || url.search !== '' || url.hash !== '')
    throw new Error('Cannot build an upstream address: it would point to a different place');
  return url;
}

function routeOf(subject: string): string {
  if (subject === LIST_ID) return ROUTES.sources;
  if (!isSourceId(subject)) throw new Error('Cannot build an upstream address: not a source id');
  return pulsePath(subject);
}
