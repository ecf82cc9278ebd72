import { ROUTES } from '@pulse-card/contract';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { ServeConfig } from '../config.ts';
import type { PublicUrls } from '../public-urls.ts';
import type { Database } from '../sql/database.ts';
import { authenticate, requireScope } from './authentication.ts';
import { checkHost, errorHandler, methodNotAllowed, notFound } from './errors.ts';
import { keylessLimiter, rateLimiter, type RateLimitStore } from './rate-limit.ts';
import { matchedRoute, requestContext, type ServiceHandler } from './request-context.ts';
import { chartRoute, healthRoute, openapiRoute, pulseRoute, sourcePageRoute, sourcesRoute } from './routes.ts';

/** The application's parts. */
export interface AppParts {
  config: Pick<ServeConfig, 'adminUrl' | 'rateLimit' | 'rateWindowMs' | 'trustProxy'>;
  db: Database;
  store: RateLimitStore;
  urls: PublicUrls;
  clock: Clock;
  log: Logger;
}

/** The whole API as an Express application. One application serves both hosts. */
export function createApp({ config, db, store, urls, clock, log }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  app.set('etag', false);
  app.set('trust proxy', config.trustProxy ?? false);

  const use = (handler: ServiceHandler) => app.use(handler as RequestHandler);
  const get = (path: string, ...handlers: ServiceHandler[]) => {
    const noted = matchedRoute(path) as RequestHandler;
    app
      .route(path)
      .get(noted, ...(handlers as RequestHandler[]))
      .all(noted, methodNotAllowed);
  };
  const window = { limit: config.rateLimit, windowMs: config.rateWindowMs };
  const keyless = keylessLimiter(window, clock);

  use(requestContext(clock, log));
  // These routes aren't part of the specification. They don't need a key.
  get('/healthz', keyless, healthRoute(db, log));
  get('/charts/:file', keyless, chartRoute(db));
  if (config.adminUrl === undefined) get('/admin/sources/:sourceId', keyless, sourcePageRoute());

  use(authenticate(db));
  app.use(rateLimiter(store, window, clock));
  app.use(checkHost);
  get(ROUTES.openapi, openapiRoute(urls));
  get(ROUTES.sources, requireScope('sources:read'), sourcesRoute(db, urls));
  get(ROUTES.pulse, requireScope('pulses:read'), pulseRoute(db, urls));

  app.use(notFound);
  app.use(errorHandler(log));
  return app;
}
