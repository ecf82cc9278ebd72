import type { RequestListener } from 'node:http';
import { type Request, type Response, Router } from 'express';
import type { Config } from '../config.ts';
import { access, type PermissionCheck } from './access.ts';
import { answerErrors, type ErrorHtml } from './answer-errors.ts';
import { basePath } from './base-path.ts';
import { scopeOf } from './cache-scope.ts';
import type { ClientLimit } from './client-limit.ts';
import { ApiError } from './errors.ts';
import { addVary, type Handler, type Recorder, recordRequest, type SourceHandler } from './locals.ts';
import { ALLOWED_METHODS, allowedOrigins, answerPreflight, type OriginPolicy } from './origins.ts';
import { alive, type NotReady, ready } from './routes/health.ts';
import { type DataParts, onePulse } from './routes/pulse.ts';
import { batch } from './routes/pulses.ts';
import { sourceList } from './routes/sources.ts';

/** The application's parts. `bff.ts` creates them. */
export interface AppParts extends DataParts {
  readonly origins: OriginPolicy;
  /** What a request may see. @default all sources */
  readonly checks: readonly PermissionCheck[];
  readonly recorders: readonly Recorder[];
  readonly clients: ClientLimit;
  readonly whyNotReady: () => NotReady | undefined;
  /** Whether every response closes its connection. */
  readonly isStopping: () => boolean;
  readonly onFault: (fault: unknown) => void;
  /** The features' handlers. */
  readonly files: Handler;
  readonly apiDescription: Handler;
  readonly image: SourceHandler;
  readonly runs: SourceHandler;
  readonly oembed: Handler;
  readonly page: SourceHandler;
  readonly errorPage: ErrorHtml;
  readonly fragment: SourceHandler;
  readonly errorFragment: ErrorHtml;
}

/** The paths of the card's files. */
const FILES = /^\/(?:pulse-|THIRD-PARTY-NOTICES)/;

/** The router that responds to readers. The order of the handlers determines which check comes first. */
export function createApp(parts: AppParts): Router {
  const { config, clients } = parts;
  const mayUse = access(parts.checks, parts.pulses.ids);

  const app = plainRouter();
  app.use(recordRequest(clients.clientOf, scopeOf(config), parts.recorders));
  app.use(plainHeaders(parts), readOnly);
  if (new URL(config.publicUrl).pathname !== '/') app.use(basePath(config.publicUrl));
  app.get('/healthz', alive);
  app.get('/readyz', ready(parts.whyNotReady));
  app.get(FILES, parts.files);
  if (config.clientRate > 0) app.use(clients.limit);
  app.get('/v1/openapi.yaml', parts.apiDescription);
  app.use(dataHeaders(config));
  addPages(app, mayUse, parts);
  app.use(allowedOrigins(parts.origins));
  addData(app, mayUse, parts);
  app.options('/{*path}', answerPreflight({ takesTokens: config.access === 'token' }));
  return endApp(app, parts);
}

/** The same routes for the operator's own pages, which see every source. Their requests aren't recorded or limited. */
export function createOperatorApp(parts: AppParts): Router {
  const operator = () => ({ client: 'operator', isUntrustedProxy: false });
  const app = plainRouter();
  app.use(recordRequest(operator, 'private', []), plainHeaders(parts), readOnly);
  app.get(FILES, parts.files);
  addPages(app, seesAll, parts);
  addData(app, seesAll, parts);
  return endApp(app, parts);
}

/** The router as the listener for a separate server. Requests that no route handles don't get a response. */
export function listenerOf(router: Router): RequestListener {
  return (req, res) => void router(req as Request, res as Response, () => res.destroy());
}

/** The routes for HTML that any page may show. Frames send no `Origin`. */
function addPages(app: Router, mayUse: Handler, { page, fragment }: AppParts): void {
  app.get('/embed/:sourceId', mayUse, page);
  app.get('/v1/sources/:sourceId/fragment', mayUse, fragment);
}

/** The data routes, for requests that `mayUse` lets through. */
function addData(app: Router, mayUse: Handler, parts: AppParts): void {
  app.get('/v1/sources/:sourceId/pulse', mayUse, onePulse(parts));
  app.get('/v1/pulses', mayUse, batch(parts));
  app.get('/v1/sources', mayUse, sourceList(parts));
  app.get('/v1/sources/:sourceId/image', mayUse, parts.image);
  app.get('/v1/sources/:sourceId/runs', mayUse, parts.runs);
  app.get('/oembed', mayUse, parts.oembed);
}

function endApp(app: Router, { errorPage, errorFragment, onFault }: AppParts): Router {
  app.use(notFound);
  app.use('/embed/:sourceId', answerErrors(onFault, errorPage));
  app.use('/v1/sources/:sourceId/fragment', answerErrors(onFault, errorFragment));
  return app.use(answerErrors(onFault));
}

function plainRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}

function plainHeaders({ isStopping }: AppParts): Handler {
  return (_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    if (isStopping()) res.setHeader('Connection', 'close');
    next();
  };
}

/**
 * The data depends on what the reader sends: the token or, in an application, the application's cookie. A mounted
 * router's data is only for pages on the same origin.
 */
function dataHeaders({ isMounted, access: mode }: Config): Handler {
  const vary = ['Accept-Encoding', ...(mode === 'token' ? ['Authorization'] : []), ...(isMounted ? ['Cookie'] : [])];
  return (_req, res, next) => {
    addVary(res, vary.join(', '));
    res.setHeader('Cross-Origin-Resource-Policy', isMounted ? 'same-origin' : 'cross-origin');
    next();
  };
}

const readOnly: Handler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD' || req.method === 'OPTIONS') return next();
  res.setHeader('Allow', ALLOWED_METHODS);
  // A request body may follow, but it is never read.
  res.setHeader('Connection', 'close');
  next(new ApiError('method_not_allowed'));
};

const seesAll: Handler = (_req, res, next) => {
  res.locals.sources = 'all';
  res.locals.viewer = null;
  next();
};

const notFound: Handler = () => {
  throw new ApiError('not_found');
};
