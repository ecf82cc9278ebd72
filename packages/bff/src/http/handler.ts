import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PulseOutcome } from '@pulse-card/contract';
import type { RequestCache } from '../cache/pulse-reader.ts';
import type { AppConfig } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { Authorizer, type Grant, type Granted, refuseNoSource } from './authorizer.ts';
import { clientKeyResolver } from './client-key.ts';
import { operatorGuards, type RequestGuards, requestGuards } from './guards.ts';
import { writeMergedHead } from './merged-head.ts';
import { ALLOWED_METHODS, OPEN_TO_ALL, OriginPolicy, preflightHeaders } from './origins.ts';
import { type ChartUrls, directChartUrl } from './public-fields.ts';
import { BodyCache } from './representation.ts';
import { isReading, RequestContext, type ServerContext } from './request-context.ts';
import { ERROR_TEXTS, NOT_FOR_READER, sendError } from './errors.ts';
import { sendJson } from './respond.ts';
import type { Additions, Route, RouteParts } from './route.ts';
import { type RouteMatch, RouteTable } from './route-table.ts';
import { PULSE_ROUTE, PULSES_ROUTE, readPulse, sendPulse, sendPulses } from './routes/pulses-route.ts';
import { SOURCES_ROUTE, sendSources } from './routes/sources-route.ts';
import { UnreadBytes } from './unread-bytes.ts';
import type { WidgetFiles } from './widget-files.ts';

/** The routes of the core. The most frequently used routes come first. */
const CORE_ROUTES: readonly Route[] = [
  { path: PULSE_ROUTE, access: 'data', answer: sendPulse },
  { path: PULSES_ROUTE, access: 'data', answer: sendPulses },
  { path: SOURCES_ROUTE, access: 'data', answer: sendSources },
  { path: '/healthz', access: 'probe', answer: (context) => sendJson(context, { status: 'ok' }) },
  { path: '/readyz', access: 'probe', answer: sendReadiness },
];

/** Health checks don't count toward the client limit. */
const PROBE_PATHS = CORE_ROUTES.filter(({ access }) => access === 'probe').map(({ path }) => path);

/** The parts of the application. */
export interface AppOptions {
  readonly config: AppConfig;
  readonly cache: RequestCache;
  readonly clock: Clock;
  readonly widget: WidgetFiles | undefined;
  /** The grants that decide which sources a request may see. @default all */
  readonly grants?: readonly Grant[];
  /** Routes of features. @default none */
  readonly routes?: readonly Route[];
  /** Returns the addresses of charts on this server. @default charts load from the address that the service returns */
  readonly chartUrls?: ChartUrls | undefined;
  /** What features add to answers. */
  readonly additions: Additions;
  readonly readinessFailure: RouteParts['readinessFailure'];
  readonly lifecycle: ServerContext['lifecycle'];
  readonly recorders: ServerContext['recorders'];
  readonly onFault: (fault: unknown) => void;
  /** Returns the client whose limit a request counts against. @default by address */
  readonly nameClient?: ((request: IncomingMessage) => string | undefined) | undefined;
  /**
   * If the router is mounted in another application, writes the response heads. @default the BFF runs its own server
   */
  readonly mountedHead?: ServerContext['writeHead'] | undefined;
}

/** Answers a request. In Express, this is a middleware that ends every request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The application. */
export interface App {
  /** Answers requests from readers. */
  readonly handle: Handler;
  /** Answers requests from the operator's own pages, with access to all sources. */
  readonly handleOperator: Handler;
  /** Reads a pulse in process. @default `granted` allows every source */
  readonly readPulse: (sourceId: string, granted?: Granted) => Promise<PulseOutcome>;
}

/** Creates the application. */
export function createApp(options: AppOptions): App {
  const { config, cache, clock, widget, grants = [], nameClient, mountedHead, lifecycle } = options;
  const isMounted = mountedHead !== undefined;
  const origins = new OriginPolicy(config.allowedOrigins, config.publicUrl);
  const authorizer = new Authorizer(cache, grants);
  const parts = routePartsOf(options, origins);
  const guard = requestGuards({
    config,
    clock,
    origins,
    authorizer,
    uncounted: new Set([...PROBE_PATHS, ...(widget?.byPath.keys() ?? [])]),
  });
  const addressOf = clientKeyResolver(config.proxyTrust);
  const clientKeyOf = (request: IncomingMessage) => nameClient?.(request) ?? addressOf(request);
  const common = { lifecycle, isMounted, clientKeyOf, unreadBytes: new UnreadBytes() };
  const forReaders: ServerContext = { ...common, recorders: options.recorders, writeHead: mountedHead ?? writeHead };
  // The operator's requests aren't recorded and don't count as views.
  const forOperator: ServerContext = { ...common, isMounted: false, recorders: [], writeHead: writeMergedHead };
  const router = new RouteTable([...CORE_ROUTES, ...(options.routes ?? [])]);
  return {
    handle: createHandler(guard, router, parts, forReaders, options.onFault),
    handleOperator: createHandler(operatorGuards, router, parts, forOperator, options.onFault),
    readPulse: (sourceId, granted) =>
      readPulse(sourceId, granted === undefined ? refuseNoSource : authorizer.refusalFor(granted), parts),
  };
}

function routePartsOf(options: AppOptions, origins: OriginPolicy): RouteParts {
  const { config, cache, clock, widget, mountedHead, chartUrls } = options;
  return {
    isMounted: mountedHead !== undefined,
    config,
    cache,
    clock,
    origins,
    fieldPolicy: { expose: config.expose, charts: chartUrls ?? { urlOf: directChartUrl(config) } },
    bodies: new BodyCache(),
    additions: options.additions,
    scriptHash: widget?.hash,
    forbiddenText: config.access === 'token' ? ERROR_TEXTS.token_forbidden : NOT_FOR_READER,
    readinessFailure: options.readinessFailure,
  };
}

/** Writes the head of a response on which no headers have been set yet. */
function writeHead(response: ServerResponse, status: number, headers: string[]): void {
  response.writeHead(status, headers);
}

/** Creates the handler for all requests. The handler runs the guards, and then the route of the path. */
function createHandler(
  guard: RequestGuards,
  routes: RouteTable,
  parts: RouteParts,
  server: ServerContext,
  onFault: (fault: unknown) => void,
): Handler {
  const preflight = preflightHeaders(parts.config.access === 'token');
  return (request, response) => {
    // Node may still emit requests on a connection that has been closed in the meantime.
    if (request.socket.destroyed) return;
    const context = new RequestContext(request, response, server);
    context.errorPage = routes.errorPageOf(context, parts);
    const match = routes.matchOf(context.target.path);
    if (match !== undefined) {
      context.record.route = match.route.path;
      context.access = match.route.access;
    }
    try {
      const allowed = guard(context);
      const answering =
        typeof allowed === 'boolean'
          ? allowed && answer(context, match)
          : allowed.then((isAllowed) => isAllowed && answer(context, match));
      if (answering instanceof Promise) answering.catch((fault: unknown) => sendInternalError(context, fault, onFault));
    } catch (fault) {
      sendInternalError(context, fault, onFault);
    }
  };

  function answer(context: RequestContext, match: RouteMatch | undefined): void | Promise<void> {
    const { request } = context;
    if (!isReading(request) && request.method !== 'OPTIONS')
      return sendError(context, 'method_not_allowed', { headers: ['Allow', ALLOWED_METHODS] });
    if (match === undefined) return sendError(context, 'not_found');
    const { route, parameter } = match;
    if (isReading(request)) return route.answer(context, parts, parameter);
    const openness = route.access === 'file' ? OPEN_TO_ALL : [];
    return context.send(204, [...openness, ...preflight, 'Allow', ALLOWED_METHODS]);
  }
}

/** Responds with 500 and no details. If a response has already begun, closes the connection. */
function sendInternalError(context: RequestContext, fault: unknown, onFault: (fault: unknown) => void): void {
  onFault(fault);
  if (context.response.headersSent) context.response.destroy();
  else sendError(context, 'internal');
}

/** Responds with whether this instance should get traffic. */
function sendReadiness(context: RequestContext, { readinessFailure }: RouteParts): void {
  const failure = readinessFailure();
  if (failure === undefined) sendJson(context, { status: 'ready' });
  else sendError(context, failure.code, { error: `Not ready: ${failure.reason}`, retryInMs: 5_000 });
}
