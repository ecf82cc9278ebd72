import { type ErrorRequestHandler, Router } from 'express';
import { answerEmbed, EMBED_ROUTE, type EmbedRouteParts } from '../embed/embed-route.ts';
import { answerOembed, OEMBED_ROUTE, type OembedRouteParts } from '../embed/oembed-route.ts';
import type { Exchange } from './exchange.ts';
import { ALLOWED_METHODS, OPEN_TO_ALL, preflightHeaders } from './cross-origin.ts';
import { answerEvents, EVENTS_ROUTE, type EventsRouteParts } from './events-route.ts';
import { exchangeOf, sendFault } from './front.ts';
import { answerHealth, answerReadiness, type Unreadiness } from './probes-route.ts';
import { answerImage, IMAGE_ROUTE, type ImageRouteParts } from './image-route.ts';
import type { PreparedBody } from './prepared-body.ts';
import { PULSE_ROUTE } from './pulse-route.ts';
import { PULSES_ROUTE } from './pulses-route.ts';
import {
  answerFrameScript,
  answerHashedScript,
  answerLanguage,
  answerScript,
  answerStyles,
  SCRIPT_ROUTES,
} from './script-route.ts';
import { sendError } from './send-error.ts';
import { answerSources, SOURCES_ROUTE, type SourcesRouteParts } from './sources-route.ts';
import { CHANGING, sendFile } from './static-file.ts';
import type { WidgetFiles } from './widget-files.ts';

/** What the routes behind the front need. */
export interface RoutesParts {
  readonly sources: SourcesRouteParts;
  readonly events: EventsRouteParts;
  readonly images: ImageRouteParts;
  readonly embed: EmbedRouteParts;
  readonly oembed: OembedRouteParts;
  readonly widget: WidgetFiles | undefined;
  readonly description: PreparedBody;
  /** Readers bring tokens. */
  readonly takesTokens: boolean;
  readonly unreadiness: () => Unreadiness | undefined;
  readonly onFault: (fault: unknown) => void;
}

type Answer = (exchange: Exchange, parameter: string) => void | Promise<void>;

/** Makes the closed table of routes: GET, HEAD and OPTIONS alone, JSON errors for all else. */
export function createRoutes(parts: RoutesParts): Router {
  const { sources, events, images, embed, oembed, widget, description, unreadiness, onFault } = parts;
  const preflight = preflightHeaders(parts.takesTokens);
  const router = Router({ caseSensitive: true, strict: true });
  const addRoute = (path: string, answer: Answer, openness: readonly string[] = []): void =>
    addTo(router, path, answer, { preflight: [...openness, ...preflight], onFault });
  addRoute(SOURCES_ROUTE, (exchange) => answerSources(exchange, sources));
  addRoute(PULSE_ROUTE, unreachable);
  addRoute(PULSES_ROUTE, unreachable);
  addRoute(EVENTS_ROUTE, (exchange) => answerEvents(exchange, events));
  addRoute(IMAGE_ROUTE, (exchange, sourceId) => answerImage(exchange, sourceId, images));
  addRoute(EMBED_ROUTE, (exchange, sourceId) => answerEmbed(exchange, sourceId, embed));
  addRoute(OEMBED_ROUTE, (exchange) => answerOembed(exchange, oembed));
  addRoute('/v1/openapi.yaml', (exchange) => sendFile(exchange, description, CHANGING), OPEN_TO_ALL);
  addRoute(SCRIPT_ROUTES.script, (exchange) => answerScript(exchange, widget), OPEN_TO_ALL);
  for (const path of [SCRIPT_ROUTES.frame, SCRIPT_ROUTES.framePage])
    addRoute(path, (exchange) => answerFrameScript(exchange, path.slice(1), widget), OPEN_TO_ALL);
  addRoute(SCRIPT_ROUTES.styles, (exchange, hash) => answerStyles(exchange, hash, widget), OPEN_TO_ALL);
  addRoute(SCRIPT_ROUTES.hashed, (exchange, hash) => answerHashedScript(exchange, hash, widget), OPEN_TO_ALL);
  addRoute(SCRIPT_ROUTES.language, (exchange, file) => answerLanguage(exchange, file, widget), OPEN_TO_ALL);
  addRoute('/healthz', answerHealth);
  addRoute('/readyz', (exchange) => answerReadiness(exchange, unreadiness()));
  router.use((_request, response) => sendError(exchangeOf(response), 'not_found'));
  router.use(lastResort(onFault));
  return router;
}

interface RouteOptions {
  /** Headers of a preflight's answer that the front has not set. */
  readonly preflight: readonly string[];
  readonly onFault: (fault: unknown) => void;
}

function addTo(router: Router, path: string, answer: Answer, { preflight, onFault }: RouteOptions): void {
  router
    .route(path)
    .get((request, response) => {
      const exchange = exchangeOf(response);
      exchange.route = path;
      answer(exchange, String(Object.values(request.params)[0] ?? ''))?.catch((fault: unknown) =>
        sendFault(exchange, fault, onFault),
      );
    })
    .options((_request, response) => {
      const exchange = exchangeOf(response);
      exchange.route = path;
      exchange.send(204, [...preflight, 'Allow', ALLOWED_METHODS]);
    })
    .all((_request, response) => {
      const exchange = exchangeOf(response);
      exchange.route = path;
      sendError(exchange, 'method_not_allowed', { headers: ['Allow', ALLOWED_METHODS] });
    });
}

/** The front answers these itself; the table holds them for their other methods. */
function unreachable(exchange: Exchange): never {
  throw new Error(`Cannot answer ${exchange.route}: the front should have`);
}

/** The handler of what Express itself refuses, a broken percent-encoding above all, and of what was thrown. */
function lastResort(onFault: (fault: unknown) => void): ErrorRequestHandler {
  return (fault: unknown, _request, response, _next) => {
    const exchange = exchangeOf(response);
    if (fault instanceof URIError || statusOf(fault) === 400) sendError(exchange, 'invalid_source_id');
    else sendFault(exchange, fault, onFault);
  };
}

function statusOf(fault: unknown): unknown {
  return typeof fault === 'object' && fault !== null && 'status' in fault ? fault.status : undefined;
}
