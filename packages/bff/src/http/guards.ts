import type { IncomingMessage } from 'node:http';
import type { ClientRateLimiter, ClientWindow } from './clients.ts';
import type { ImageUrlSigner } from '../images/image-url-signer.ts';
import { AccessGrant, FULL_ACCESS, type TokenResult, type TokenVerifier } from '@pulse-card/token';
import { type OriginPolicy, crossOriginHeaders, readableBy } from './origins.ts';
import type { PulseCache } from '../cache/port.ts';
import type { Clock } from '../clock.ts';
import { RATE_LIMIT_HEADERS } from '@pulse-card/contract';
import { decodedSegment, type RequestContext } from './context.ts';
import { forbidsSharedCaching } from './response-headers.ts';
import type { Access } from './route.ts';
import { sendError, sendTokenError } from './respond.ts';

/** What the guards check with. */
export interface RequestGuardsOptions {
  readonly origins: OriginPolicy;
  /** Undefined where access is public. */
  readonly tokenGuard: TokenGuard | undefined;
  /** Undefined where clients are not counted. */
  readonly clientRateLimiter: ClientRateLimiter | undefined;
  readonly clock: Clock;
  /** Paths that the limit per client does not count. */
  readonly uncounted: ReadonlySet<string>;
  /** `PULSE_CACHE`: whether shared caches may store answers with data. */
  readonly cacheScope: 'public' | 'private';
  readonly isFromUntrustedProxy: (request: IncomingMessage) => boolean;
  /** Called for each request that came through a proxy which is not trusted. */
  readonly onUntrustedProxy: () => void;
}

/** Adds the common headers and returns true, or refuses the request and returns false; a promise only where a token is verified. */
export type RequestGuards = (context: RequestContext, access: Access) => boolean | Promise<boolean>;

/** Makes the checks that every request passes before any route. */
export function requestGuards(parts: RequestGuardsOptions): RequestGuards {
  const { origins, tokenGuard, clientRateLimiter, clock, cacheScope } = parts;
  const headersFor = crossOriginHeaders(origins, tokenGuard !== undefined);

  function isOverRate(context: RequestContext): boolean {
    if (clientRateLimiter === undefined || parts.uncounted.has(context.path)) return false;
    const nowMs = clock.wallNow();
    const window = clientRateLimiter.count(context.client, nowMs);
    pushWindow(context.headers, window);
    if (!window.isExceeded) return false;
    sendError(context, 'rate_limited', { retryAfterSeconds: (window.resetsAtMs - nowMs) / 1_000 });
    return true;
  }

  return (context, access) => {
    const { request, headers } = context;
    const { origin } = request.headers;
    headers.push('X-Content-Type-Options', 'nosniff');
    if (!context.isTargetValid) return refuseTarget(context);
    context.isPrivate = cacheScope === 'private' || forbidsSharedCaching(context.response);
    if (parts.isFromUntrustedProxy(request)) parts.onUntrustedProxy();
    const isData = access === 'data';
    if (isData) headers.push(...headersFor(origin));
    if (context.isStopping || hasBody(request)) headers.push('Connection', 'close');
    const malformation = malformationOf(request);
    if (malformation !== undefined && (context.isReadMethod || request.method === 'OPTIONS'))
      return refuseMalformed(context, malformation);
    if (isOverRate(context)) return false;
    if (isData && origins.check(origin) === 'forbidden') {
      if (!isPreflight(request)) return refuseOrigin(context);
      headers.push(...readableBy(context));
    }
    if (tokenGuard !== undefined) {
      if (access === 'frame') headers.push('Vary', 'Authorization');
      return !readsData(context, access) || tokenGuard(context);
    }
    context.accessGrant = FULL_ACCESS;
    return true;
  };
}

/** Returns whether the request reads data, which needs a token: GET and HEAD of data and frames. A preflight carries no token. */
export function readsData({ isReadMethod }: RequestContext, access: Access): boolean {
  return isReadMethod && (access === 'data' || access === 'frame');
}

/**
 * Returns whether the request is a CORS preflight. Preflights are not refused: a page cannot read why one failed, so the request
 * after it is refused instead.
 */
function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function refuseOrigin(context: RequestContext): false {
  sendError(context, 'origin_forbidden');
  return false;
}

function refuseTarget(context: RequestContext): false {
  context.headers.push('Connection', 'close');
  sendError(context, 'bad_request');
  return false;
}

function refuseMalformed(context: RequestContext, error: string): false {
  if (!context.headers.includes('Connection')) context.headers.push('Connection', 'close');
  sendError(context, 'invalid_source_id', { error });
  return false;
}

function pushWindow(headers: string[], { limit, remaining, resetsAtMs }: ClientWindow): void {
  headers.push(RATE_LIMIT_HEADERS.limit, String(limit), RATE_LIMIT_HEADERS.remaining, String(remaining));
  headers.push(RATE_LIMIT_HEADERS.reset, String(Math.ceil(resetsAtMs / 1_000)));
}

/**
 * Explains why a request is malformed, or returns undefined. Another server on the way might read it differently:
 * two `Host` headers, or none since HTTP/1.1 (RFC 9112, 3.2), or a body where none has a meaning.
 */
export function malformationOf(request: IncomingMessage): string | undefined {
  const hosts = countOf('host', request);
  if (hosts > 1) return 'The request is malformed: it names more than one host';
  if (hosts === 0 && request.httpVersion !== '1.0') return 'The request is malformed: it names no host';
  if (hasBody(request)) return 'The request is malformed: it must have no body';
  return undefined;
}

/** How often a header was sent. `headersDistinct` throws in Node 22 where a header is named `__proto__`. */
function countOf(name: string, { rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length;
}

/** Returns whether a body follows the headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

/** Admits every request to all sources, for the operator's own pages: no origin, no token, no limit. */
export function operatorGuards(context: RequestContext): boolean {
  if (!context.isTargetValid) return refuseTarget(context);
  context.accessGrant = FULL_ACCESS;
  context.isPrivate = true;
  if (context.isStopping || hasBody(context.request)) context.headers.push('Connection', 'close');
  return true;
}

/** The grant of `'*'`: every source that is listed or named. A source that only another reader's rights made known is left out. */
export class ListedGrant extends AccessGrant {
  readonly #cache: Pick<PulseCache, 'isAdmittedOnly'>;

  constructor({ endsAtMs, holds }: AccessGrant, cache: Pick<PulseCache, 'isAdmittedOnly'>) {
    super('*', '*', endsAtMs, holds);
    this.#cache = cache;
  }

  override allowsSource(sourceId: string): boolean {
    return !this.#cache.isAdmittedOnly(sourceId);
  }
}

/** What the token guard checks with. */
export interface TokenGuardOptions {
  readonly verifier: TokenVerifier;
  /** Undefined if browsers load charts from the CDN. */
  readonly images: ImageUrlSigner | undefined;
  /** The origins of the BFF's own pages: browsers name none when these ask. */
  readonly ownOrigins: readonly string[];
  /** Learns the sources that a valid token names. */
  readonly cache: Pick<PulseCache, 'admit' | 'isAdmittedOnly'>;
}

/** Sets the access grant and returns true, or answers 401 or 403 and returns false. It runs before any cache lookup. */
export type TokenGuard = (context: RequestContext) => boolean | Promise<boolean>;

const CHART = /^\/v1\/sources\/([^/]+)\/image$/;

/** Makes the check of everything that needs a token. */
export function tokenGuard({ verifier, images, ownOrigins, cache }: TokenGuardOptions): TokenGuard {
  function authorize(context: RequestContext, result: TokenResult): boolean {
    if (typeof result === 'string') return sendTokenError(context, 'token_invalid', result);
    const { origin } = context.request.headers;
    if (!result.allowsOrigin(origin === undefined ? ownOrigins : [origin])) {
      return sendTokenError(context, 'token_forbidden', 'origin');
    }
    if (result.sources !== '*') cache.admit(result.sources);
    context.accessGrant = result.sources === '*' ? new ListedGrant(result, cache) : result;
    return true;
  }

  function authorizeByUrl(context: RequestContext, sourceId: string): boolean {
    const endsAtMs = images?.endOf(sourceId, context.query);
    if (endsAtMs === undefined) return sendTokenError(context, 'token_invalid', 'address');
    cache.admit([sourceId]);
    context.accessGrant = new AccessGrant([sourceId], '*', endsAtMs);
    return true;
  }

  return (context) => {
    context.isPrivate = true;
    const chart = images && signedChart(context);
    if (chart !== undefined) return authorizeByUrl(context, chart);
    const token = bearerOf(context.request);
    if (token === undefined) return sendTokenError(context, 'token_missing');
    const accessGrant = verifier.known(token);
    if (accessGrant !== undefined) return authorize(context, accessGrant);
    return verifier.verify(token).then((result) => authorize(context, result));
  };
}

/** The source of a chart that is requested by a signed URL. */
function signedChart({ path, query }: RequestContext): string | undefined {
  const segment = CHART.exec(path)?.[1];
  return segment !== undefined && new URLSearchParams(query).has('sig') ? decodedSegment(segment) : undefined;
}

/** The token of a request: in its one `Authorization` header, and nowhere else. */
function bearerOf(request: IncomingMessage): string | undefined {
  // Another server on the way may have read another one.
  if (countOf('authorization', request) > 1) return '';
  return /^bearer(?: +(.*))?$/is.exec(request.headers.authorization ?? '')?.[1];
}
