import type { IncomingMessage } from 'node:http';
import { Router } from 'express';
import type { Config } from '../config.ts';
import { access, allowAll, type PermissionCheck } from './access.ts';
import { basePath } from './base-path.ts';
import type { CacheScope } from './cache-scope.ts';
import { clientAddress, clientKeyOf, clientLimit, trustOf } from './client-limit.ts';
import { answerError, ApiError } from './errors.ts';
import { addVary, type ErrorHandler, type Handler, type SourceHandler } from './locals.ts';
import { ALLOWED_METHODS, allowedOrigins, answerPreflight, type OriginPolicy } from './origins.ts';
import { type Recorder, recordRequest } from './record.ts';
import { healthRoutes, type NotReady } from './routes/health.ts';
import { type DataParts, onePulse } from './routes/pulse.ts';
import { batch } from './routes/pulses.ts';
import { sourceList } from './routes/sources.ts';

/** The handlers of pages for frames and of fragments. Errors are returned in the same format. */
export interface Embed {
  readonly page: SourceHandler;
  readonly fragment: SourceHandler;
  readonly errorPage: ErrorHandler;
  readonly errorFragment: ErrorHandler;
}

/** The parts of the application. `bff.ts` creates them. */
export interface AppParts extends DataParts {
  readonly config: Config;
  readonly origins: OriginPolicy;
  /** What a request may see. @default all sources */
  readonly checks: readonly PermissionCheck[];
  readonly recorders: readonly Recorder[];
  /** The application's name for a client. @default its IP address */
  readonly nameClient: ((req: IncomingMessage) => string | undefined) | undefined;
  readonly whyNotReady: () => NotReady | undefined;
  readonly isStopping: () => boolean;
  readonly onFault: (fault: unknown) => void;
  /** The handlers of features. */
  readonly files: Router;
  readonly apiDescription: Handler;
  readonly image: SourceHandler;
  readonly runs: SourceHandler;
  readonly oembed: Handler;
  readonly embed: Embed;
}

/** The router that responds to readers. The order is the policy. */
export function createApp(parts: AppParts): Router {
  const { config, origins, checks, pulses, recorders } = parts;
  const takesTokens = config.access === 'token';
  const isProxy = trustOf(config.trustProxy);
  const clientOf = (req: IncomingMessage) => parts.nameClient?.(req) ?? clientKeyOf(clientAddress(req, isProxy));
  const mayUse = access(checks, pulses);

  const app = plainRouter();
  app.use(recordRequest({ recorders, clientOf, isProxy, scope: scopeOf(config) }));
  app.use(plainHeaders(parts), readOnly, basePath(config.publicUrl));
  app.use(healthRoutes(parts.whyNotReady), parts.files);
  app.use(clientLimit(config.clientRate, isProxy));
  app.get('/v1/openapi.yaml', parts.apiDescription);
  app.use(dataHeaders(config));
  app.use(pageRoutes(parts, mayUse));
  app.use(allowedOrigins(origins, { takesTokens }));
  app.options('/{*path}', answerPreflight(takesTokens));
  app.use(dataRoutes(parts, mayUse), notFound);
  return answerErrors(app, parts);
}

/** The same routes for the operator's own pages, which see every source. Their requests aren't recorded or limited. */
export function createOperatorApp(parts: AppParts): Router {
  const all = allowAll('all');
  const app = plainRouter();
  app.use(recordRequest({ recorders: [], clientOf: () => 'operator', isProxy: () => true, scope: 'private' }), noView);
  app.use(plainHeaders(parts), readOnly, parts.files);
  app.use(pageRoutes(parts, all), dataRoutes(parts, all), notFound);
  return answerErrors(app, parts);
}

/** The routes of HTML that any page may show. Frames send no `Origin`. */
function pageRoutes({ embed, config }: AppParts, mayUse: Handler): Router {
  const router = plainRouter();
  const headers = pageHeaders(config);
  router.get('/embed/:sourceId', headers, mayUse, embed.page);
  router.get('/v1/sources/:sourceId/fragment', headers, mayUse, embed.fragment);
  return router;
}

/** The routes with data, for requests that `mayUse` lets through. */
function dataRoutes(parts: AppParts, mayUse: Handler): Router {
  const router = plainRouter();
  router.get('/v1/sources/:sourceId/pulse', mayUse, onePulse(parts));
  router.get('/v1/pulses', mayUse, batch(parts));
  router.get('/v1/sources', mayUse, sourceList(parts));
  router.get('/v1/sources/:sourceId/image', mayUse, parts.image);
  router.get('/v1/sources/:sourceId/runs', mayUse, parts.runs);
  router.get('/oembed', mayUse, parts.oembed);
  return router;
}

function answerErrors(app: Router, { embed, onFault }: AppParts): Router {
  app.use('/embed/:sourceId', embed.errorPage);
  app.use('/v1/sources/:sourceId/fragment', embed.errorFragment);
  return app.use(answerError(onFault));
}

function plainRouter(): Router {
  return Router({ caseSensitive: true, strict: true });
}

/** A mounted router's data is for one reader at a time; with PULSE_CACHE=private or tokens, only browsers cache it. */
function scopeOf({ isMounted, cache, access: mode }: Config): CacheScope {
  if (isMounted) return 'mounted';
  return cache === 'private' || mode === 'token' ? 'private' : 'shared';
}

function plainHeaders({ isStopping }: AppParts): Handler {
  return (_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    if (isStopping()) res.setHeader('Connection', 'close');
    next();
  };
}

/** A mounted router's data depends on the application's cookie, and is only for pages on the same origin. */
function dataHeaders({ isMounted }: Config): Handler {
  return (_req, res, next) => {
    if (isMounted) addVary(res, 'Cookie');
    res.setHeader('Cross-Origin-Resource-Policy', isMounted ? 'same-origin' : 'cross-origin');
    next();
  };
}

function pageHeaders({ access: mode }: Config): Handler {
  const vary = mode === 'token' ? 'Accept-Encoding, Authorization' : 'Accept-Encoding';
  return (_req, res, next) => {
    addVary(res, vary);
    next();
  };
}

const readOnly: Handler = (req, res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD' || req.method === 'OPTIONS') return next();
  res.setHeader('Allow', ALLOWED_METHODS);
  // A body may follow, which is never read.
  res.setHeader('Connection', 'close');
  next(new ApiError('method_not_allowed'));
};

const noView: Handler = (_req, res, next) => {
  res.locals.viewer = null;
  next();
};

const notFound: Handler = () => {
  throw new ApiError('not_found');
};
