import { ROUTES } from '@pulse-card/contract';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Clock } from './clock.ts';
import type { ServeConfig } from './config.ts';
import type { Database } from './database/open-database.ts';
import { answerFailure } from './http/answer-failure.ts';
import { beginRequest } from './http/begin-request.ts';
import { chartRoute } from './http/chart-route.ts';
import { checkHost } from './http/check-host.ts';
import { healthRoute } from './http/health-route.ts';
import { identifyCaller } from './http/identify-caller.ts';
import { limitRate } from './http/limit-rate.ts';
import type { ServiceHandler } from './http/locals.ts';
import { onlyGet } from './http/only-get.ts';
import { openapiRoute } from './http/openapi-route.ts';
import { pulseRoute } from './http/pulse-route.ts';
import { sendRefusal } from './http/refusal.ts';
import { requireScope } from './http/require-scope.ts';
import { sourcesRoute } from './http/sources-route.ts';
import type { WindowStore } from './rate/window-store.ts';
import type { Site } from './site.ts';

/** What the app is made of. */
export interface AppParts {
  config: Pick<ServeConfig, 'rateLimit' | 'rateWindowMs' | 'trustProxy'>;
  db: Database;
  store: WindowStore;
  site: Site;
  clock: Clock;
  log: Logger;
}

/** The whole interface as an Express application; one serves both hosts. */
export function createApp({ config, db, store, site, clock, log }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', false);
  app.set('etag', false);
  app.set('trust proxy', config.trustProxy ?? false);

  const serve = (path: string, ...handlers: ServiceHandler[]) => {
    const stages = [noteRoute(path), ...handlers] as RequestHandler[];
    app
      .route(path)
      .get(...stages)
      .all(noteRoute(path) as RequestHandler, onlyGet);
  };

  app.use(beginRequest(clock, log));
  serve('/healthz', healthRoute(db, log));
  serve('/charts/:file', chartRoute(db));

  app.use(identifyCaller(db));
  app.use(limitRate(store, { limit: config.rateLimit, windowMs: config.rateWindowMs }));
  app.use(checkHost);
  serve(ROUTES.openapi, openapiRoute(site));
  serve(ROUTES.sources, requireScope('sources:read'), sourcesRoute(db, site));
  serve(ROUTES.pulse, requireScope('pulses:read'), pulseRoute(db, site));

  app.use((_req, res) => sendRefusal(res, 'notFound'));
  app.use(answerFailure(log));
  return app;
}

function noteRoute(path: string): ServiceHandler {
  return (_req, res, next) => {
    res.locals.route = path;
    next();
  };
}
