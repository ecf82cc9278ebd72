import { type ErrorRequestHandler, Router } from 'express';
import { EMBED_ROUTE, type EmbedRouteOptions, sendEmbed } from './routes/embed-route.ts';
import { OEMBED_ROUTE, type OembedRouteOptions, sendOembed } from './routes/oembed-route.ts';
import type { RequestContext } from './request-context.ts';
import { ALLOWED_METHODS, OPEN_TO_ALL, preflightHeaders } from '../auth/origin-policy.ts';
import { EVENTS_ROUTE, type EventsRouteOptions, openEventStream } from './routes/events-route.ts';
import { contextOf, sendInternalError } from './fast-path.ts';
import { type ReadinessFailure, sendHealth, sendReadiness } from './routes/probes-route.ts';
import { IMAGE_ROUTE, type ImageRouteOptions, sendImage } from './routes/image-route.ts';
import type { Representation } from './representation.ts';
import { PULSE_ROUTE, PULSES_ROUTE } from './routes/pulses-route.ts';
import { CHANGING, sendFile, sendWidgetFile, type WidgetFiles, WIDGET_ROUTES } from './widget-files.ts';
import { sendError } from './send-error.ts';
import { SOURCES_ROUTE, type SourcesRouteOptions, sendSources } from './routes/sources-route.ts';

/** What the routes behind the fast path need. */
export interface RouterOptions {
  readonly sources: SourcesRouteOptions;
  readonly events: EventsRouteOptions;
  readonly images: ImageRouteOptions;
  readonly embed: EmbedRouteOptions;
  readonly oembed: OembedRouteOptions;
  readonly widget: WidgetFiles | undefined;
  readonly description: Representation;
  /** Readers bring tokens. */
  readonly takesTokens: boolean;
  readonly readinessFailure: () => ReadinessFailure | undefined;
  readonly onFault: (fault: unknown) => void;
}

type Answer = (context: RequestContext, parameter: string) => void | Promise<void>;

/** Creates the table of routes: GET, HEAD and OPTIONS only, and JSON errors for everything else. */
export function createRouter(parts: RouterOptions): Router {
  const { sources, events, images, embed, oembed, widget, description, readinessFailure, onFault } = parts;
  const preflight = preflightHeaders(parts.takesTokens);
  const router = Router({ caseSensitive: true, strict: true });
  const addRoute = (path: string, answer: Answer, openness: readonly string[] = []): void =>
    addTo(router, path, answer, { preflight: [...openness, ...preflight], onFault });
  addRoute(SOURCES_ROUTE, (context) => sendSources(context, sources));
  addRoute(PULSE_ROUTE, unreachable);
  addRoute(PULSES_ROUTE, unreachable);
  addRoute(EVENTS_ROUTE, (context) => openEventStream(context, events));
  addRoute(IMAGE_ROUTE, (context, sourceId) => sendImage(context, sourceId, images));
  addRoute(EMBED_ROUTE, (context, sourceId) => sendEmbed(context, sourceId, embed));
  addRoute(OEMBED_ROUTE, (context) => sendOembed(context, oembed));
  addRoute('/v1/openapi.yaml', (context) => sendFile(context, description, CHANGING), OPEN_TO_ALL);
  for (const path of WIDGET_ROUTES) addRoute(path, (context) => sendWidgetFile(context, widget), OPEN_TO_ALL);
  addRoute('/healthz', sendHealth);
  addRoute('/readyz', (context) => sendReadiness(context, readinessFailure()));
  router.use((_request, response) => sendError(contextOf(response), 'not_found'));
  router.use(lastResort(onFault));
  return router;
}

interface RouteOptions {
  /** Headers of the response to a preflight, beside those of the request guards. */
  readonly preflight: readonly string[];
  readonly onFault: (fault: unknown) => void;
}

function addTo(router: Router, path: string, answer: Answer, { preflight, onFault }: RouteOptions): void {
  router
    .route(path)
    .get((request, response) => {
      const context = contextOf(response);
      context.route = path;
      answer(context, String(Object.values(request.params)[0] ?? ''))?.catch((fault: unknown) =>
        sendInternalError(context, fault, onFault),
      );
    })
    .options((_request, response) => {
      const context = contextOf(response);
      context.route = path;
      context.send(204, [...preflight, 'Allow', ALLOWED_METHODS]);
    })
    .all((_request, response) => {
      const context = contextOf(response);
      context.route = path;
      sendError(context, 'method_not_allowed', { headers: ['Allow', ALLOWED_METHODS] });
    });
}

/** The fast path answers GET and HEAD of these routes; the router answers their other methods. */
function unreachable(context: RequestContext): never {
  throw new Error(`Cannot answer ${context.route}: the fast path should have`);
}

/** Answers errors of Express itself (such as broken percent-encoding) and of routes. */
function lastResort(onFault: (fault: unknown) => void): ErrorRequestHandler {
  return (fault: unknown, _request, response, _next) => {
    const context = contextOf(response);
    if (fault instanceof URIError || statusOf(fault) === 400) sendError(context, 'invalid_source_id');
    else sendInternalError(context, fault, onFault);
  };
}

function statusOf(fault: unknown): unknown {
  return typeof fault === 'object' && fault !== null && 'status' in fault ? fault.status : undefined;
}
