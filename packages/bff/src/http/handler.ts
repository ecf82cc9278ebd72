import type { KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PulseOutcome, ReadPulse } from '@pulse-card/contract';
import { TokenVerifier, type TokenVerifierOptions } from '@pulse-card/token';
import type { RequestCache } from '../cache/pulse-cache.ts';
import type { Clock } from '../lib/clock.ts';
import type { AppConfig } from '../config/config.ts';
import { ImageCache } from '../features/images/image-cache.ts';
import { type ChartRefusal, ImageHosts } from '../features/images/image-hosts.ts';
import { createImageProxy } from '../features/images/image-proxy.ts';
import { ImageUrlSigner } from '../features/images/image-url-signer.ts';
import { type Authorize, Authorizer } from './authorizer.ts';
import { clientKeyResolver, namedClients } from './clients.ts';
import {
  type Access,
  decodedSegment,
  RequestContext,
  type ResponseRecorder,
  type RouteParts,
  type ServerContext,
} from './request-context.ts';
import { FILE_ROUTES, readDescription, sendFile, type WidgetFiles } from './files.ts';
import { operatorGuards, type RequestGuards, requestGuards } from './guards.ts';
import { writeMergedHead, writePrivateHead } from '../features/mount/host-headers.ts';
import { ALLOWED_METHODS, OPEN_TO_ALL, OriginPolicy, preflightHeaders } from './origins.ts';
import { chartRefusalOf, fieldPolicyOf } from './public-pulse.ts';
import { BodyCache } from './representation.ts';
import { ERROR_TEXTS, NOT_FOR_READER, sendError, sendJson } from './respond.ts';
import { EMBED_PREFIX, EMBED_ROUTE, errorPageOf, sendEmbed } from '../features/embed/embed-route.ts';
import { IMAGE_ROUTE, sendImage } from '../features/images/image-route.ts';
import { OEMBED_ROUTE, sendOembed } from '../features/embed/oembed-route.ts';
import { PULSE_ROUTE, PULSES_ROUTE, readPulse, sendPulse, sendPulses } from './routes/pulses-route.ts';
import { SOURCES_ROUTE, sendSources } from './routes/sources-route.ts';
import { UnreadBytes } from './unread-bytes.ts';

/** A route for GET and HEAD. */
interface Route {
  /** The path as log and metrics name it, with at most one parameter: `/v1/sources/:sourceId/pulse`. */
  readonly path: string;
  readonly access: Access;
  readonly answer: (context: RequestContext, parts: RouteParts, parameter: string) => void | Promise<void>;
}

/** Every route. The most frequent ones stand first. */
const ROUTES: readonly Route[] = [
  { path: PULSE_ROUTE, access: 'data', answer: sendPulse },
  { path: PULSES_ROUTE, access: 'data', answer: sendPulses },
  { path: SOURCES_ROUTE, access: 'data', answer: sendSources },
  { path: IMAGE_ROUTE, access: 'data', answer: sendImage },
  { path: EMBED_ROUTE, access: 'frame', answer: sendEmbed },
  { path: OEMBED_ROUTE, access: 'data', answer: sendOembed },
  ...FILE_ROUTES.map((path): Route => ({ path, access: 'file', answer: sendFile })),
  { path: '/healthz', access: 'probe', answer: (context) => sendJson(context, 200, { status: 'ok' }) },
  { path: '/readyz', access: 'probe', answer: sendReadiness },
];

/** Health checks are not rate-limited. */
const PROBE_PATHS = ROUTES.filter(({ access }) => access === 'probe').map(({ path }) => path);

/** A route that a path belongs to, and the decoded value of its parameter: empty if it cannot be decoded. */
interface RouteMatch {
  readonly route: Route;
  readonly parameter: string;
}

const PLAIN_ROUTES = new Map<string, RouteMatch>(
  ROUTES.filter(({ path }) => !path.includes(':')).map((route) => [route.path, { route, parameter: '' }]),
);

/** Routes with a parameter, and the text of their path before and after it. */
const PARAMETER_ROUTES = ROUTES.filter(({ path }) => path.includes(':')).map((route) => {
  const [before = '', after = ''] = route.path.split(/:[A-Za-z]+/);
  return { route, before, after };
});

/** The route of a path. Paths match to the letter: no other case, no slash at the end. */
function matchOf(path: string): RouteMatch | undefined {
  const plain = PLAIN_ROUTES.get(path);
  if (plain !== undefined) return plain;
  for (const { route, before, after } of PARAMETER_ROUTES) {
    if (!path.startsWith(before) || !path.endsWith(after)) continue;
    const segment = path.slice(before.length, path.length - after.length);
    if (segment !== '' && !segment.includes('/')) return { route, parameter: decodedSegment(segment) ?? '' };
  }
  return undefined;
}

/** The parts of the application. */
export interface AppOptions {
  readonly config: AppConfig;
  readonly cache: RequestCache;
  readonly clock: Clock;
  readonly widget: WidgetFiles | undefined;
  /** The token keys; required if access is by token. */
  readonly tokenKeySet?: TokenVerifierOptions['keySet'] | undefined;
  /** Secrets that sign image URLs. */
  readonly imageSecrets: () => readonly KeyObject[];
  readonly readinessFailure: RouteParts['readinessFailure'];
  readonly lifecycle: ServerContext['lifecycle'];
  readonly recorders: readonly ResponseRecorder[];
  readonly onFault: (fault: unknown) => void;
  /** Says what a request may see. @default everything */
  readonly authorize?: Authorize | undefined;
  /** Names who the client limit counts. @default by address */
  readonly clientKey?: ((request: IncomingMessage) => string | number) | undefined;
  /** Called with a line for the log when `authorize` or `clientKey` fails. */
  readonly onHostFault: (message: string) => void;
  /** The application stands in another one, behind its login: nothing is for shared caches. @default false */
  readonly isMounted?: boolean | undefined;
  /** Called for each request that came through a proxy which `TRUST_PROXY` does not name. */
  readonly onUntrustedProxy: () => void;
}

/** Answers a request; with Express, a middleware that ends every request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The application. */
export interface App {
  /** Answers readers. */
  readonly handle: Handler;
  /** Answers the operator's own pages, with access to all sources. */
  readonly handleOperator: Handler;
  /** Reads a pulse in process, as far as `request` may see it. */
  readonly readPulse: (sourceId: string, request?: IncomingMessage) => Promise<PulseOutcome>;
  /** Why readers don't get the chart of a pulse; undefined if they do, or if it has none. */
  readonly chartRefusalOf: (pulse: ReadPulse) => ChartRefusal | undefined;
}

/** Creates the application. */
export function createApp(options: AppOptions): App {
  const { config, cache, clock, widget, authorize, clientKey, isMounted = false, lifecycle, onHostFault } = options;
  const takesTokens = config.access === 'token';
  const origins = new OriginPolicy(config.allowedOrigins, config.publicUrl);
  const imageUrlSigner = imageUrlSignerOf(options);
  const hosts = new ImageHosts(config);
  const fetchImage = createImageProxy({ isService: (url) => hosts.isService(url) });
  const parts: RouteParts = {
    isMounted,
    config,
    cache,
    clock,
    origins,
    fieldPolicy: fieldPolicyOf(config, hosts, imageUrlSigner),
    bodies: new BodyCache(),
    images: { hosts, cache: new ImageCache({ fetchImage, clock }) },
    scriptHash: widget?.hash,
    files: new Map([...(widget?.byPath ?? []), ['/v1/openapi.yaml', readDescription(config)]]),
    forbiddenText: authorize === undefined || takesTokens ? ERROR_TEXTS.token_forbidden : NOT_FOR_READER,
    readinessFailure: options.readinessFailure,
  };
  const verifier = takesTokens ? tokenVerifierOf(options) : undefined;
  const ownOrigins = origins.own;
  const authorizer = new Authorizer({ cache, clock, verifier, imageUrlSigner, ownOrigins, authorize, onHostFault });
  const guard = requestGuards({
    config,
    clock,
    origins,
    authorizer,
    uncounted: new Set([...PROBE_PATHS, ...(widget?.byPath.keys() ?? [])]),
    onUntrustedProxy: options.onUntrustedProxy,
  });
  const addressOf = clientKeyResolver(config.proxyTrust);
  const clientKeyOf = clientKey === undefined ? addressOf : namedClients(clientKey, addressOf, onHostFault);
  const shared = { lifecycle, isMounted, clientKeyOf, unreadBytes: new UnreadBytes() };
  const forReaders: ServerContext = {
    ...shared,
    recorders: options.recorders,
    writeHead: isMounted ? writePrivateHead : writeHead,
  };
  // Requests of the operator are neither recorded nor counted as views.
  const forOperator: ServerContext = { ...shared, recorders: [], writeHead: writeMergedHead };
  return {
    handle: createHandler(guard, parts, forReaders, options.onFault),
    handleOperator: createHandler(operatorGuards, parts, forOperator, options.onFault),
    chartRefusalOf: (pulse) => chartRefusalOf(pulse, parts.fieldPolicy, hosts),
    readPulse: async (sourceId, request) => readPulse(sourceId, await authorizer.forRequest(request), parts),
  };
}

/** Writes a head that nobody has touched before. */
function writeHead(response: ServerResponse, status: number, headers: string[]): void {
  response.writeHead(status, headers);
}

/** Makes the handler of all requests: the guards, then the one route of the path. */
function createHandler(
  guard: RequestGuards,
  parts: RouteParts,
  server: ServerContext,
  onFault: (fault: unknown) => void,
): Handler {
  const preflight = preflightHeaders(parts.config.access === 'token');
  return (request, response) => {
    // Node still emits requests that it has read from a connection that is closed by now.
    if (request.socket.destroyed) return;
    const context = new RequestContext(request, response, server);
    if (context.path.startsWith(EMBED_PREFIX)) context.errorPage = (error) => errorPageOf(context, error, parts);
    const match = matchOf(context.path);
    if (match !== undefined) {
      context.route = match.route.path;
      context.access = match.route.access;
    }
    try {
      const allowed = guard(context, context.access);
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
    if (match === undefined) return sendError(context, 'not_found');
    const { route, parameter } = match;
    if (context.isReadMethod) return route.answer(context, parts, parameter);
    if (context.method !== 'OPTIONS')
      return sendError(context, 'method_not_allowed', { headers: ['Allow', ALLOWED_METHODS] });
    const openness = route.access === 'file' ? OPEN_TO_ALL : [];
    return context.send(204, [...openness, ...preflight, 'Allow', ALLOWED_METHODS]);
  }
}

/** Answers 500 without details, or closes the connection if a response has begun. */
function sendInternalError(context: RequestContext, fault: unknown, onFault: (fault: unknown) => void): void {
  onFault(fault);
  if (context.response.headersSent) context.response.destroy();
  else sendError(context, 'internal');
}

/** Answers whether this instance should get traffic. */
function sendReadiness(context: RequestContext, { readinessFailure }: RouteParts): void {
  const failure = readinessFailure();
  if (failure === undefined) sendJson(context, 200, { status: 'ready' });
  else sendError(context, failure.code, { error: `Not ready: ${failure.reason}`, retryInMs: 5_000 });
}

function imageUrlSignerOf({ config, clock, imageSecrets }: AppOptions): ImageUrlSigner | undefined {
  if (config.access === 'public' || config.images === 'direct') return undefined;
  return new ImageUrlSigner({ secrets: imageSecrets, wallNow: () => clock.wallNow() });
}

function tokenVerifierOf({ config, clock, tokenKeySet }: AppOptions): TokenVerifier {
  if (tokenKeySet === undefined) throw new Error('Cannot verify tokens: there are no keys');
  return new TokenVerifier({ keySet: tokenKeySet, audience: config.publicUrl, wallNow: () => clock.wallNow() });
}
