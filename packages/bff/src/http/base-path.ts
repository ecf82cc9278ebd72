import type { RequestHandler } from 'express';
import { pathOf } from './locals.ts';

/** The paths that are routes. A path that is a route is never shortened. */
const ROUTES = [
  /^\/v1\/(?:pulses|sources|openapi\.yaml)$/,
  /^\/v1\/sources\/[^/]+\/(?:pulse|image|runs|fragment)$/,
  /^\/(?:embed|pulse-card-lang)\/[^/]+$/,
  /^\/(?:oembed|healthz|readyz|pulse-[^/]+\.\w+|THIRD-PARTY-NOTICES\.txt)$/,
];

/**
 * Removes the public URL's path from a request's path. Frameworks and proxies remove all of it, part of it, or nothing,
 * so the request's path may begin with any part of it that runs from a slash to its end.
 */
export function basePath(publicUrl: string): RequestHandler {
  const tails = tailsOf(new URL(publicUrl).pathname);
  return (req, _res, next) => {
    if (tails.length > 0 && !ROUTES.some((route) => route.test(pathOf(req)))) req.url = withoutPath(req.url, tails);
    next();
  };
}

/** The path and its tails, longest first: `/a/b`, then `/b`. */
function tailsOf(path: string): string[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  return segments.map((_segment, at) => `/${segments.slice(at).join('/')}`);
}

function withoutPath(url: string, tails: readonly string[]): string {
  const tail = tails.find((each) => url === each || url.startsWith(`${each}/`) || url.startsWith(`${each}?`));
  if (tail === undefined) return url;
  const rest = url.slice(tail.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
