import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';
import type { Request } from 'express';
import sirv from 'sirv';
import { CHANGING, IMMUTABLE } from '../../http/cache-scope.ts';
import { ApiError } from '../../http/errors.ts';
import { type Handler, pathOf, type PulseResponse } from '../../http/locals.ts';
import { allowEveryPage } from '../../http/origins.ts';
import { setCacheControl } from '../../http/send.ts';
import type { WidgetFiles } from './widget-files.ts';

/** A path that contains the hash of its file. */
const HASHED = /^\/pulse-(?:card|board)(?:-[a-z-]+)?-[0-9a-f]{16}\.(?:js|css)$/;

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** The scripts, style sheets, languages, and notices that any page may load. They don't count toward the client limit. */
export function serveFiles(widget: WidgetFiles | undefined, { isMounted }: { readonly isMounted: boolean }): Handler {
  if (widget === undefined) return notBuilt;
  const serve = sirv(widget.folder, { etag: true, brotli: true, gzip: true, setHeaders: keepVary });
  return (req, res, next) => {
    const path = pathOf(req);
    if (!widget.paths.has(path)) return next();
    res.locals.record.route = routeOf(path);
    // These files are small, so range requests aren't useful.
    delete req.headers.range;
    allowEveryPage(res);
    setCacheControl(res, 'Cache-Control', cacheControlFor(path, isMounted));
    res.setHeader('Content-Type', TYPES[extname(path)] ?? 'application/octet-stream');
    res.locals.vary = String(res.getHeader('Vary'));
    serve(req as Request, res, next);
  };
}

/** Behind an application's login, only browsers may keep a file. */
function cacheControlFor(path: string, isMounted: boolean): string {
  const policy = HASHED.test(path) ? IMMUTABLE : CHANGING;
  return isMounted ? policy.replace('public', 'private') : policy;
}

/** The path as it appears in the log and the metrics. */
function routeOf(path: string): string {
  return path.replace(/-[0-9a-f]{16}(?=\.)/, '-:hash').replace(/^(\/pulse-card-lang\/).*/, '$1:file');
}

/** sirv overwrites `Vary`, which may already contain other headers. */
function keepVary(res: ServerResponse): void {
  const { vary } = (res as PulseResponse).locals;
  if (vary !== undefined) res.setHeader('Vary', vary);
}

const notBuilt: Handler = () => {
  throw new ApiError('not_found', { error: 'The card isn’t built on this server: run npm run build' });
};
