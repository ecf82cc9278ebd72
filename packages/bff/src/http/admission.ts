import type { IncomingMessage } from 'node:http';
import type { ClientNamer } from '../access/client-address.ts';
import type { ClientRate, ClientWindow } from '../access/client-rate.ts';
import { EVERYTHING } from '../access/permit.ts';
import type { OriginRule } from '../access/origins.ts';
import { RATE_LIMIT_HEADERS } from '@pulse-card/contract';
import { crossOriginHeaders, readableBy } from './cross-origin.ts';
import type { Exchange } from './exchange.ts';
import { hasBody, malformationOf } from './malformed.ts';
import { forbidsSharedCaching } from './response-headers.ts';
import { sendError } from './send-error.ts';
import type { TokenGate } from './token-gate.ts';

/** Below this path lie answers with data, which only allowed origins may read. */
const DATA_PREFIX = '/v1/';

/** Below this path lie pages for frames, which show pulses. */
const FRAMES_PREFIX = '/embed/';

/** The description lies there too, and is for everyone. */
const DESCRIPTION = '/v1/openapi.yaml';

/** What tells other programs of a pulse is data too. */
const OEMBED = '/oembed';

/** What decides who is let in. */
export interface AdmissionParts {
  readonly origins: OriginRule;
  /** Undefined where access is public. */
  readonly tokenGate: TokenGate | undefined;
  /** Undefined where clients are not counted. */
  readonly clientRate: ClientRate | undefined;
  readonly nameOfClient: ClientNamer;
  /** Milliseconds since the Unix epoch. */
  readonly wallNow: () => number;
  readonly isStopping: () => boolean;
  /** Paths that the limit per client does not count. */
  readonly uncounted: ReadonlySet<string>;
  /** `PULSE_CACHE`: whether shared caches may store answers with data. */
  readonly cacheScope: 'public' | 'private';
  readonly cameByUntrustedProxy: (request: IncomingMessage) => boolean;
  /** Called for each request that came through a proxy which is not trusted. */
  readonly onUntrustedProxy: () => void;
}

/** Lets a request in, with the headers that its answer will carry, or refuses it and says false; at once wherever it can. */
export type Admission = (exchange: Exchange) => boolean | Promise<boolean>;

/** Makes the gate that every request passes before any route sees it. */
export function admission(parts: AdmissionParts): Admission {
  const { origins, tokenGate, clientRate, nameOfClient, wallNow, isStopping, cacheScope } = parts;
  const headersFor = crossOriginHeaders(origins, tokenGate !== undefined);

  function isOverRate(exchange: Exchange): boolean {
    if (clientRate === undefined || parts.uncounted.has(exchange.path)) return false;
    const nowMs = wallNow();
    const window = clientRate.count(nameOfClient(exchange.request), nowMs);
    pushWindow(exchange.headers, window);
    if (!window.isExceeded) return false;
    sendError(exchange, 'rate_limited', { retryAfterSeconds: (window.resetsAtMs - nowMs) / 1_000 });
    return true;
  }

  return (exchange) => {
    const { request, headers, path } = exchange;
    const { origin } = request.headers;
    headers.push('X-Content-Type-Options', 'nosniff');
    exchange.isPrivate = cacheScope === 'private' || forbidsSharedCaching(exchange.response);
    if (parts.cameByUntrustedProxy(request)) parts.onUntrustedProxy();
    const isData = (path.startsWith(DATA_PREFIX) && path !== DESCRIPTION) || path === OEMBED;
    if (isData) headers.push(...headersFor(origin));
    exchange.isStopping = isStopping;
    if (isStopping() || hasBody(request)) headers.push('Connection', 'close');
    const malformation = malformationOf(request);
    if (malformation !== undefined && isReading(request.method)) return refuseMalformed(exchange, malformation);
    if (isOverRate(exchange)) return false;
    if (isData && origins.judge(origin) === 'forbidden') {
      if (!isPreflight(request)) return refuseOrigin(exchange);
      headers.push(...readableBy(exchange));
    }
    if (tokenGate !== undefined) {
      if (path.startsWith(FRAMES_PREFIX)) headers.push('Vary', 'Authorization');
      return !isGuarded(exchange, isData) || tokenGate(exchange);
    }
    exchange.permit = EVERYTHING;
    return true;
  };
}

/** Whatever shows pulses; a preflight carries no token, and what is no reading is refused as such. */
function isGuarded({ method, path }: Exchange, isData: boolean): boolean {
  return (isData || path.startsWith(FRAMES_PREFIX)) && (method === 'GET' || method === 'HEAD');
}

/**
 * Says whether a browser asks what it may send. A refused preflight would hide the reason from the page, so that it is the
 * request after it that is refused.
 */
function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function refuseOrigin(exchange: Exchange): false {
  sendError(exchange, 'origin_forbidden');
  return false;
}

function isReading(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

function refuseMalformed(exchange: Exchange, error: string): false {
  if (!exchange.headers.includes('Connection')) exchange.headers.push('Connection', 'close');
  sendError(exchange, 'invalid_source_id', { error });
  return false;
}

function pushWindow(headers: string[], { limit, remaining, resetsAtMs }: ClientWindow): void {
  headers.push(RATE_LIMIT_HEADERS.limit, String(limit), RATE_LIMIT_HEADERS.remaining, String(remaining));
  headers.push(RATE_LIMIT_HEADERS.reset, String(Math.ceil(resetsAtMs / 1_000)));
}
