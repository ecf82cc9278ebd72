import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canPolicyName } from '@pulse-card/contract';
import {
  type ErrorRequestHandler,
  type RequestHandler,
  type Response,
  Router,
  json,
  static as serveStatic,
} from 'express';
import { z } from 'zod';
import { originsOf } from '../../lib/ip-address.ts';
import { packageVersion } from '../../lib/package-version.ts';
import { compressedFiles } from './compressed-files.ts';
import { isFromOtherSite, OriginPolicy } from '../../http/origins.ts';
import type { AppConfig, Config } from '../../config/config.ts';
import type { ChartOrigin } from '../../http/public-fields.ts';
import type { WidgetFiles } from '../../http/widget-files.ts';
import { fileURLToPath } from 'node:url';
import type { IncomingHttpHeaders } from 'node:http';

/** The path of the Studio's data. */
const API = '/studio/api';

/**
 * The header that Studio pages send when they request data. A page on another origin can't set this header,
 * because no CORS header allows it.
 */
const OWN_HEADER = 'x-pulse-studio';

/**
 * The Studio serves pages for frames under this path, because a frame and its files don't send the Studio's header.
 */
const FRAMES = '/studio/frames';

/** The paths of a frame page and of the files that it loads. */
const FRAME_PATH = /^\/(?:embed\/|pulse-[\w./-]+$)/;

/**
 * The maximum size of a check's request body, for `body-parser`. The body has a page's address, an origin, and a token.
 */
const MAX_CHECK_BODY = '32kb';

/** The input of a page check. */
export interface PageCheck {
  readonly url: string;
  readonly token?: string;
}

/** The parts of the Studio. */
export interface StudioParts {
  readonly config: AppConfig;
  readonly charts: ChartOrigin;
  readonly widget: WidgetFiles | undefined;
  /** The folder that contains the built pages. @default the folder that `npm run build` writes */
  readonly folder?: string;
  /** The routes of the BFF, with access to all sources. */
  readonly bff: RequestHandler;
  /** The `/status` document as JSON. */
  readonly statusJson: () => string | Promise<string>;
  /** Called with internal errors. */
  readonly onFault: (fault: unknown) => void;
  /** Diagnoses a page. */
  readonly checkPage: (check: PageCheck) => Promise<unknown>;
}

/** The body of a check. `checkInputSchema` has the limits of its fields. */
const checkBodySchema = z
  .strictObject({
    url: z.string().optional(),
    origin: z.string().optional(),
    token: z.string().optional(),
  })
  .refine(({ url, origin, token }) => url ?? origin ?? token, { error: 'must contain a url, an origin, or a token' });

/**
 * Creates the router of the status page (`/`) and the Studio (`/studio/`), with their data. The router is read-only and
 * works below any mount path. The port or application that the router is mounted in decides who may see it.
 */
export function createStudioRouter(parts: StudioParts): Router {
  const { config, folder = STUDIO_FOLDER, bff, statusJson, onFault, checkPage } = parts;
  const router = Router({ caseSensitive: true });
  const settings = JSON.stringify(studioSettings(parts));
  router.use(securityHeaders(config));
  router.use(
    [API, FRAMES],
    requireHeaders((headers) => !isFromOtherSite(headers)),
  );
  // This check also works if browsers send no Fetch Metadata. Browsers send none over plain HTTP to a host other than
  // loopback.
  router.use(
    API,
    requireHeaders((headers) => Boolean(headers[OWN_HEADER])),
  );
  router.post(`${API}/check`, json({ limit: MAX_CHECK_BODY }), answerCheck(checkPage, config));
  router.all(`${API}/check`, (_request, response) => refuseMethod(response, 'POST'));
  router.use(`${API}/bff`, bff);
  router.use(requireReading);
  router.use(FRAMES, (request, response, next) => {
    if (FRAME_PATH.test(request.path)) bff(request, response, next);
    else sendError(response, 404, 'not_found', 'Frame page not found');
  });
  router.get(`${API}/config`, (_request, response) => sendJson(response, 200, settings));
  router.get(`${API}/status`, async (_request, response) => sendJson(response, 200, await statusJson()));
  router.use(API, (_request, response) => sendError(response, 404, 'not_found', 'Data not found'));
  router.use(requireBuild(folder), compressedFiles(folder), serveStatic(folder, { setHeaders: setCacheControl }));
  router.use(answerFault(onFault));
  return router;
}

/** The response of `GET /studio/api/config`: the settings of this BFF, without secrets. */
export interface StudioSettings extends Pick<AppConfig, 'publicUrl' | 'allowedOrigins' | 'access' | 'sources'> {
  readonly version: string;
  /** The origins of the BFF's own pages, which are always allowed. */
  readonly ownOrigins: readonly string[];
  readonly images: { readonly mode: 'direct' | 'proxy'; readonly hosts: readonly string[] };
  readonly exposed: readonly string[];
  /** Absolute addresses. Null if the widget isn't built. A widget that was built from source isn't on a CDN. */
  readonly script: { readonly url: string; readonly publishedUrl: string | null; readonly integrity: string } | null;
}

function studioSettings({ config, charts: { mode, hosts }, widget }: StudioParts): StudioSettings {
  const { publicUrl, allowedOrigins, access, sources, expose } = config;
  return {
    version: packageVersion(),
    publicUrl,
    allowedOrigins,
    ownOrigins: new OriginPolicy(allowedOrigins, publicUrl).own,
    access,
    images: { mode, hosts },
    sources,
    exposed: [...expose],
    script: widget ? scriptOf(widget, publicUrl) : null,
  };
}

function scriptOf({ publishedUrl, integrity }: WidgetFiles, publicUrl: string): StudioSettings['script'] {
  return { url: `${publicUrl}/pulse-card.js`, publishedUrl, integrity };
}

function securityHeaders(config: AppConfig): RequestHandler {
  const headers = {
    'Content-Security-Policy': studioPolicy(config),
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'SAMEORIGIN',
    'X-Robots-Tag': 'noindex',
  };
  return (_request, response, next) => {
    response.set(headers);
    next();
  };
}

function requireHeaders(isAllowed: (headers: IncomingHttpHeaders) => boolean): RequestHandler {
  return ({ headers }, response, next) => {
    if (isAllowed(headers)) next();
    else sendError(response, 403, 'origin_forbidden', OWN_PAGES_ALONE);
  };
}

const OWN_PAGES_ALONE = 'Only the Studio itself may send this request. Its pages send the header X-Pulse-Studio: 1';

const requireReading: RequestHandler = ({ method }, response, next) => {
  if (method === 'GET' || method === 'HEAD') next();
  else refuseMethod(response, 'GET, HEAD');
};

function refuseMethod(response: Response, allowed: string): void {
  response.setHeader('Allow', allowed);
  sendError(response, 405, 'method_not_allowed', `Only ${allowed}`);
}

function answerCheck(checkPage: StudioParts['checkPage'], { publicUrl }: AppConfig): RequestHandler {
  return async (request, response) => {
    const { data, error } = checkBodySchema.safeParse(request.body);
    if (error) return sendError(response, 400, 'invalid_input', faultsIn(error));
    const { url, origin, token } = data;
    const diagnosis = await checkPage({ url: url ?? origin ?? publicUrl, ...(token !== undefined && { token }) });
    return sendJson(response, 200, JSON.stringify(diagnosis));
  };
}

/** The errors in a request body, as one line. */
function faultsIn({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ');
}

/** Responds that the Studio isn't built. Without this function, the response would be an empty 404. */
function requireBuild(folder: string): RequestHandler {
  return (_request, response, next) => {
    if (existsSync(join(folder, 'index.html'))) next();
    else sendError(response, 404, 'not_found', 'The Studio is not built on this server; run npm run build');
  };
}

/** Files whose name contains a hash are immutable. All other files are revalidated. */
function setCacheControl(response: Response, path: string): void {
  const isImmutable = /[/\\]assets[/\\]/.test(path);
  response.setHeader('Cache-Control', isImmutable ? 'private, max-age=31536000, immutable' : 'private, no-cache');
}

/** Responds to an error. If the request can't be parsed, the status is 4xx. Otherwise, it is 500 without details. */
function answerFault(onFault: StudioParts['onFault']): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    const status = typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 500;
    if (response.headersSent) return void response.destroy();
    if (error instanceof z.ZodError) return sendError(response, 400, 'invalid_input', faultsIn(error));
    if (status >= 400 && status < 500) return sendError(response, status, 'invalid_input', UNREADABLE);
    onFault(error);
    return sendError(
      response,
      500,
      'internal',
      'Something went wrong on this server; see the server’s log for details',
    );
  };
}

const UNREADABLE = 'The request cannot be read: send JSON of at most 32 KB';

function sendError(response: Response, status: number, code: string, error: string): void {
  sendJson(response, status, JSON.stringify({ success: false, error, code }));
}

function sendJson(response: Response, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/** The `Content-Security-Policy` of the Studio. The policy allows the Studio's own files, and charts from any host. */
export function studioPolicy({
  publicUrl,
  baseUrl,
  altBaseUrl,
}: Pick<Config, 'publicUrl' | 'baseUrl' | 'altBaseUrl'>): string {
  const own = new URL(publicUrl).origin;
  const service = [baseUrl, altBaseUrl].flatMap((url) => (url === undefined ? [] : originsOf(url)));
  const named = [own, ...service].filter(canPolicyName);
  return [
    "default-src 'self'",
    `img-src 'self' https: ${[...new Set(named)].join(' ')}`,
    `frame-src ${["'self'", ...[own].filter(canPolicyName)].join(' ')}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

/** The folder that `npm run build` copies the pages into. */
const STUDIO_FOLDER = fileURLToPath(new URL('../../../dist/studio', import.meta.url));
