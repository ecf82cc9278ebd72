import { createHash } from 'node:crypto';
import fs, { existsSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Request } from 'express';
import type { Config } from '../../config.ts';
import { cachingOf } from '../../http/cache-scope.ts';
import { type Handler, pathOf, type PulseResponse } from '../../http/locals.ts';
import { allowEveryPage } from '../../http/origins.ts';
import { Body, sendBody, setCacheControl } from '../../http/send.ts';
import { serveFolder } from '../../http/serve-folder.ts';

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
  const serve = serveFolder(widget.folder, { setHeaders: keepVary });
  return (req, res, next) => {
    const path = pathOf(req);
    if (!widget.paths.has(path)) return next();
    res.locals.record.route = routeOf(path);
    // These files are small, so range requests aren't useful.
    delete req.headers.range;
    allowEveryPage(res);
    setCacheControl(res, 'Cache-Control', cacheControlFor(path, isMounted));
    res.setHeader('Content-Type', TYPES[extname(path)] ?? '');
    res.locals.vary = String(res.getHeader('Vary'));
    serve(req as Request, res, next);
  };
}

/** Behind an application's login, only browsers may cache files. */
function cacheControlFor(path: string, isMounted: boolean): string {
  const policy = cachingOf(path);
  return isMounted ? policy.replace('public', 'private') : policy;
}

/** The path as it appears in the log and the metrics. */
function routeOf(path: string): string {
  return path.replace(/-[0-9a-f]{16}(?=\.)/, '-:hash').replace(/^(\/pulse-card-lang\/).*/, '$1:file');
}

/** sirv overwrites `Vary`, which may already list other headers. */
function keepVary(res: ServerResponse): void {
  const { vary } = (res as PulseResponse).locals;
  if (vary !== undefined) res.setHeader('Vary', vary);
}

const notBuilt: Handler = (_req, _res, next) => next();

/** The example URL in the description. The BFF's own URL replaces it. */
export const EXAMPLE_URL = 'https://pulse.example.com';

/** The description's files, by access mode. */
export const DESCRIPTION_FILES = { public: 'openapi.yaml', token: 'openapi-token.yaml' } as const;

/** `GET /v1/openapi.yaml`: the OpenAPI 3.1 description of this BFF. */
export function apiDescription({ publicUrl, access, isMounted }: Config): Handler {
  // The build writes this file, even if the BFF runs from source.
  const file = new URL(`../../../dist/${DESCRIPTION_FILES[access]}`, import.meta.url);
  if (!existsSync(file)) return notBuilt;
  const text = readFileSync(file, 'utf8').replace(EXAMPLE_URL, publicUrl);
  const body = new Body(text, 'application/yaml; charset=utf-8');
  return (req, res) => {
    allowEveryPage(res);
    setCacheControl(res, 'Cache-Control', cacheControlFor(pathOf(req), isMounted));
    sendBody(req, res, body);
  };
}

/** The built card's files that pages load. */
export type WidgetFiles = NonNullable<ReturnType<typeof widgetFiles>>;

/** The built card in `dist`. Undefined if it isn't built. */
export function widgetFiles(dist = installedWidget()) {
  const folder = join(dist, 'web');
  if (!existsSync(join(folder, 'pulse-card.js'))) return undefined;
  const names = fs.globSync(`**/*{${Object.keys(TYPES).join()}}`, { cwd: folder });
  const script = readFileSync(join(folder, 'pulse-card.js'));
  return {
    /** The folder that contains the files under the names that pages request. */
    folder,
    /** Their paths, such as `/pulse-card.js`. */
    paths: new Set(names.map((name) => `/${name.replaceAll('\\', '/')}`)),
    /** The `<hash>` of `/pulse-card-<hash>.js`. */
    hash: createHash('sha256').update(script).digest('hex').slice(0, 16),
    /** The script's `integrity` value. */
    integrity: `sha384-${createHash('sha384').update(script).digest('base64')}`,
    /** The URL of the script in its npm package on a CDN; null if it isn't in a published package. */
    publishedUrl: publishedUrlOf(dist),
  };
}

/** The folder of the installed widget's build. */
function installedWidget(): string {
  return dirname(fileURLToPath(import.meta.resolve('@pulse-card/widget/pulse-card.js')));
}

/** Published packages don't contain sources. */
function publishedUrlOf(dist: string): string | null {
  if (existsSync(join(dist, '../src'))) return null;
  const { name, version } = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8')) as Record<string, string>;
  return `https://cdn.jsdelivr.net/npm/${name}@${version}/dist/pulse-card.js`;
}
