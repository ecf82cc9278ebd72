import { CHANGING, type CacheScope, IMMUTABLE } from '../../http/cache-headers.ts';
import { sendError } from '../../http/errors.ts';
import { OPEN_TO_ALL } from '../../http/origins.ts';
import type { Representation } from '../../http/representation.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { sendBody } from '../../http/respond.ts';
import type { Route } from '../../http/route.ts';

/** The paths of files, as the log and metrics name them. */
export const FILE_PATHS = [
  '/v1/openapi.yaml',
  '/pulse-card.js',
  '/pulse-card-after-paint-:hash.js',
  '/pulse-card-extras-:hash.js',
  '/pulse-card-:hash.js',
  '/pulse-board.js',
  '/pulse-board-:hash.js',
  '/pulse-card-:hash.css',
  '/pulse-frame.js',
  '/pulse-frame-page.js',
  '/pulse-icon.svg',
  '/pulse-card-lang/:file',
  '/THIRD-PARTY-NOTICES.txt',
] as const;

/** A path that contains the hash of its file. */
const HASHED_PATH = /^\/pulse-(?:card|card-after-paint|card-extras|board)-[0-9a-f]+\.(?:js|css)$/;

/** The routes of `files`, by path. */
export function fileRoutes(files: ReadonlyMap<string, Representation>): Route[] {
  return FILE_PATHS.map((path) => ({ path, access: 'file', answer: (context) => sendFile(context, files) }));
}

/** Responds with the file at the request's path. Any page may load the file. */
function sendFile(context: RequestContext, files: ReadonlyMap<string, Representation>): void {
  const { path } = context.target;
  const file = files.get(path);
  if (file !== undefined) {
    return sendBody(context, file, [...OPEN_TO_ALL, 'Cache-Control', cacheControlFor(path, context.cacheScope)]);
  }
  const isBuilt = files.has('/pulse-card.js');
  return sendError(context, 'not_found', isBuilt ? {} : { error: 'The card is not built on this server' });
}

/** `Cache-Control` of the file at `path`. Anyone may load the file, so it is private only behind an application's login. */
export function cacheControlFor(path: string, scope: CacheScope): string {
  const policy = HASHED_PATH.test(path) ? IMMUTABLE : CHANGING;
  return scope === 'mounted' ? policy.replace('public', 'private') : policy;
}
