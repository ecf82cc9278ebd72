import fs, { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerResponse } from 'node:http';
import { canPolicyName, type ErrorCode, isSourceId } from '@pulse-card/contract';
import { type ErrorRequestHandler, json, type RequestHandler, type Response, Router } from 'express';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { isFromOtherSite, type OriginPolicy } from '../../http/origins.ts';
import { serveFolder } from '../../http/serve-folder.ts';
import { originsOf } from '../../lib/ip-address.ts';
import type { Log } from '../../lib/log.ts';

/** The path to the Studio's data. */
const API = '/studio/api';

/** Frames are served here because requests for a frame and its files don't include the Studio's header. */
const FRAMES = '/studio/frames';

/** The paths to a frame page and the files that it loads. */
const FRAME_PATH = /^\/(?:embed\/|pulse-[\w./-]+$)/;

/** The folder that `npm run build` copies the pages into. */
const STUDIO_FOLDER = fileURLToPath(new URL('../../../dist/studio', import.meta.url));

/** The Studio's parts. */
export interface StudioParts {
  readonly config: Config;
  readonly origins: OriginPolicy;
  readonly widget: { readonly integrity: string; readonly publishedUrl: string | null } | undefined;
  /** The BFF's routes, with access to all sources. */
  readonly bff: RequestHandler;
  readonly status: { json(): string };
  /** Withholds or restores a run's text. Rejects if the file can't be written. */
  readonly withheld: { set(run: string, isWithheld: boolean): Promise<void> } | undefined;
  /** Diagnoses a page. Rejects with a `ZodError` if the input isn't valid. */
  readonly checkPage: (input: unknown) => Promise<unknown>;
  readonly log: Pick<Log, 'fault'>;
  /** The folder that contains the built pages. @default the folder that `npm run build` writes */
  readonly folder?: string;
}

/** The response to `GET /studio/api/config`. */
export interface StudioSettings extends ReturnType<typeof settingsOf> {}

/**
 * The status page (`/`) and the Studio (`/studio/`), with their data, below any mount path. The port or the application
 * around it controls who can see it.
 */
export function openStudio(parts: StudioParts): Router {
  const { config, bff, status, checkPage, withheld, log } = parts;
  const router = Router({ caseSensitive: true });
  const settings = settingsOf(parts);
  const headers = {
    'Content-Security-Policy': studioPolicy(config),
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'SAMEORIGIN',
    'X-Robots-Tag': 'noindex',
  };
  router.use((_req, res, next) => {
    res.set(headers);
    next();
  });
  router.use([API, FRAMES], (req, res, next) => (isFromOtherSite(req.headers) ? rejectOthers(res) : next()));
  router.use(API, (req, res, next) => (req.headers['x-pulse-studio'] ? next() : rejectOthers(res)));
  const readJson = json({ limit: '32kb' });
  router.post(`${API}/check`, readJson, async ({ body }, res) => void res.set(NO_STORE).json(await checkPage(body)));
  if (withheld && !config.isMounted) router.post(`${API}/withheld`, readJson, setWithheld(withheld));
  router.all([`${API}/check`, `${API}/withheld`], (_req, res) => rejectMethod(res, 'POST'));
  router.use(`${API}/bff`, bff);
  router.use(({ method }, res, next) => (/^(?:GET|HEAD)$/.test(method) ? next() : rejectMethod(res, 'GET, HEAD')));
  router.use(FRAMES, (req, res, next) => {
    if (FRAME_PATH.test(req.path)) bff(req, res, next);
    else sendError(res, 404, 'not_found', 'Frame page not found');
  });
  router.get(`${API}/config`, (_req, res) => void res.set(NO_STORE).json(settings));
  router.get(`${API}/status`, (_req, res) => void res.set(NO_STORE).type('json').send(status.json()));
  router.use(API, (_req, res) => sendError(res, 404, 'not_found', 'Data not found'));
  router.use(builtFiles(parts.folder ?? STUDIO_FOLDER));
  return router.use(answerFault(log));
}

const NO_STORE = { 'Cache-Control': 'no-store' };

/** This BFF's settings, without secrets. */
function settingsOf({ config, origins, widget }: StudioParts) {
  const { publicUrl, allowedOrigins, access, sources, images: mode, imageHosts: hosts } = config;
  return {
    publicUrl,
    allowedOrigins,
    access,
    sources,
    /** The origins of the BFF's own pages, which are always allowed. */
    ownOrigins: origins.own,
    images: { mode, hosts },
    /** Null if the widget isn't built. A widget that was built from source isn't on a CDN: its `publishedUrl` is null. */
    script: widget
      ? { url: `${publicUrl}/pulse-card.js`, publishedUrl: widget.publishedUrl, integrity: widget.integrity }
      : null,
  };
}

/** The Studio's `Content-Security-Policy`. It allows the Studio's own files and charts from any host. */
function studioPolicy({ publicUrl, baseUrl, altBaseUrl = baseUrl }: Config): string {
  const own = [new URL(publicUrl).origin].filter(canPolicyName);
  const named = [...own, ...[baseUrl, altBaseUrl].flatMap(originsOf).filter(canPolicyName)];
  return [
    "default-src 'self'",
    `img-src 'self' https: ${[...new Set(named)].join(' ')}`,
    `frame-src ${["'self'", ...own].join(' ')}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}

const withheldSchema = z.object({
  run: z.string().refine(isSourceId, 'must be a run ID'),
  withheld: z.boolean('must be true or false'),
});

/** Lets the status page withhold or restore a run's text. */
function setWithheld(list: NonNullable<StudioParts['withheld']>): RequestHandler {
  return async ({ body }, res) => {
    const { run, withheld } = withheldSchema.parse(body);
    try {
      await list.set(run, withheld);
    } catch {
      return sendError(res, 500, 'internal', 'This server can’t write PULSE_WITHHELD_FILE');
    }
    res.set(NO_STORE).json({ run, withheld });
  };
}

/** The built pages. Files whose names contain a hash are immutable. */
function builtFiles(folder: string): RequestHandler {
  if (!existsSync(join(folder, 'index.html')))
    return (_req, res) => sendError(res, 404, 'not_found', 'The Studio isn’t built on this server; run npm run build');
  const policyOf = (path: string) =>
    `private, ${path.includes('/assets/') ? 'max-age=31536000, immutable' : 'no-cache'}`;
  const setHeaders = (res: ServerResponse, path: string) => res.setHeader('Cache-Control', policyOf(path));
  const serve = serveFolder(folder, { setHeaders });
  const pages = fs.globSync('*/**/index.html', { cwd: folder }).map((path) => `/${dirname(path)}`);
  return (req, res, next) => {
    // A page's links are relative to its folder. At the router's own URL, `path` is `/` with or without a trailing
    // slash.
    const [address = ''] = req.originalUrl.split('?');
    const isPage = req.path === '/' || pages.includes(req.path);
    if (isPage && !address.endsWith('/')) return res.redirect(301, `${basename(address)}/`);
    serve(req, res, next);
  };
}

const NOT_THE_STUDIO = 'Only the Studio itself can send this request. Its pages send the header X-Pulse-Studio: 1';

function rejectOthers(res: Response): void {
  sendError(res, 403, 'origin_forbidden', NOT_THE_STUDIO);
}

function rejectMethod(res: Response, allowed: string): void {
  res.setHeader('Allow', allowed);
  sendError(res, 405, 'method_not_allowed', `Only ${allowed}`);
}

/** Responds to an invalid request with a 4xx that explains why, and to any other error with a 500 without details. */
function answerFault(log: Pick<Log, 'fault'>): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    const status = typeof error === 'object' && error !== null && 'status' in error ? Number(error.status) : 500;
    if (res.headersSent) return void res.destroy();
    if (error instanceof z.ZodError) return sendError(res, 400, 'bad_request', faultsIn(error));
    if (status >= 400 && status < 500) return sendError(res, status, 'bad_request', 'The request can’t be read');
    log.fault(error, 'Can’t respond to the Studio');
    sendError(res, 500, 'internal', 'Something went wrong on this server');
  };
}

function faultsIn({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [...path.map(String), message].join(': ')).join('; ');
}

function sendError(res: Response, status: number, code: ErrorCode, error: string): void {
  res.status(status).set(NO_STORE).json({ success: false, error, code });
}
