import { type ErrorRequestHandler, Router } from 'express';
import type { ClientKeyResolver } from '../auth/client-rate-limiter.ts';
import { ALLOWED_METHODS, OPEN_TO_ALL, preflightHeaders } from '../auth/origin-policy.ts';
import type { FreshnessPolicy } from '../cache/freshness.ts';
import type { PulseCache, PulseLookups } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import type { FrameServer } from '../embed/frame-page.ts';
import type { SseHub } from '../sse/sse-hub.ts';
import { contextOf, sendInternalError } from './fast-path.ts';
import type { ImageCache } from './image-cache.ts';
import type { FieldPolicy } from './public-pulse.ts';
import type { PulseResponseCache, Representation, RepresentationCache } from './representation.ts';
import type { RequestContext } from './request-context.ts';
import { EMBED_ROUTE, sendEmbed } from './routes/embed-route.ts';
import { EVENTS_ROUTE, openEventStream } from './routes/events-route.ts';
import { IMAGE_ROUTE, sendImage } from './routes/image-route.ts';
import { OEMBED_ROUTE, sendOembed } from './routes/oembed-route.ts';
import { type ReadinessFailure, sendHealth, sendReadiness } from './routes/probes-route.ts';
import { PULSE_ROUTE, PULSES_ROUTE } from './routes/pulses-route.ts';
import { SOURCES_ROUTE, sendSources } from './routes/sources-route.ts';
import { sendError } from './send-error.ts';
import { CHANGING, sendFile, sendWidgetFile, type WidgetFiles, WIDGET_ROUTES } from './widget-files.ts';

/** What the routes answer with. */
export interface RouteParts {
  readonly cache: PulseCache;
  /** The lookups of pulses: those of readers count as views, those of the operator do not. */
  readonly lookups: PulseLookups;
  readonly clock: Clock;
  readonly freshnessPolicy: FreshnessPolicy;
  readonly fieldPolicy: FieldPolicy;
  readonly pulseResponses: PulseResponseCache;
  readonly representations: RepresentationCache;
  readonly live: SseHub;
  readonly clientKeyOfRequest: ClientKeyResolver;
  readonly frames: FrameServer;
  /** Undefined where browsers load charts from the CDN. */
  readonly images: { readonly cache: ImageCache; readonly hosts: readonly string[] } | undefined;
  readonly widget: WidgetFiles | undefined;
  readonly description: Representation;
  /** Readers bring tokens. */
  readonly takesTokens: boolean;
  readonly readinessFailure: () => ReadinessFailure | undefined;
  readonly onFault: (fault: unknown) => void;
}

type Answer = (context: RequestContext, parts: RouteParts, parameter: string) => void | Promise<void>;

/** Creates the table of routes: GET, HEAD and OPTIONS only, and JSON errors for everything else. */
export function createRouter(parts: RouteParts): Router {
  const { takesTokens, widget, description, readinessFailure, onFault } = parts;
  const preflight = preflightHeaders(takesTokens);
  const router = Router({ caseSensitive: true, strict: true });
  const addRoute = (path: string, answer: Answer, openness: readonly string[] = []): void => {
    router.all(path, (request, response) => {
      const context = contextOf(response);
      context.route = path;
      if (context.method === 'OPTIONS') return context.send(204, [...openness, ...preflight, 'Allow', ALLOWED_METHODS]);
      if (!context.isReadMethod)
        return sendError(context, 'method_not_allowed', { headers: ['Allow', ALLOWED_METHODS] });
      return answer(context, parts, String(Object.values(request.params)[0] ?? ''))?.catch((fault: unknown) =>
        sendInternalError(context, fault, onFault),
      );
    });
  };
  addRoute(SOURCES_ROUTE, sendSources);
  addRoute(PULSE_ROUTE, unreachable);
  addRoute(PULSES_ROUTE, unreachable);
  addRoute(EVENTS_ROUTE, openEventStream);
  addRoute(IMAGE_ROUTE, sendImage);
  addRoute(EMBED_ROUTE, sendEmbed);
  addRoute(OEMBED_ROUTE, sendOembed);
  addRoute('/v1/openapi.yaml', (context) => sendFile(context, description, CHANGING), OPEN_TO_ALL);
  for (const path of WIDGET_ROUTES) addRoute(path, (context) => sendWidgetFile(context, widget), OPEN_TO_ALL);
  addRoute('/healthz', sendHealth);
  addRoute('/readyz', (context) => sendReadiness(context, readinessFailure()));
  router.use((_request, response) => sendError(contextOf(response), 'not_found'));
  router.use(lastResort(onFault));
  return router;
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
