import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode, PublicSourceFacts } from '@pulse-card/contract';
import type { Requester, SourceRefusal } from '../cache/pulse-reader.ts';
import { type CacheScope, isForOneReader, isShareable } from './cache-headers.ts';
import type { ClientKeyResolver } from './client-key.ts';
import { hasHeader } from './header-list.ts';
import { type ClientRate, rateHeaders } from './rate-headers.ts';
import { type Target, targetOf } from './target.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/** The facts about a response, for the log and metrics. Routes fill them in. */
export interface ResponseRecord {
  readonly request: IncomingMessage;
  readonly method: string;
  /** The key that identifies the client. */
  readonly client: string;
  /** The response's headers: name, value, name, value. */
  readonly headers?: readonly string[];
  /** The template of the route, such as `/v1/sources/:sourceId/pulse`; `none` if no route matched. */
  route: string;
  status: number;
  durationMs: number;
  /** The cache result, such as `hit`; undefined if the cache wasn't used. */
  cacheResult: string | undefined;
  /** The age of the cached entry, in ms. */
  ageMs: number | undefined;
  /** The public error code, if the response is an error. */
  code: string | undefined;
  /** Whether the answer was an earlier version. Undefined if the answer didn't come from the cache. */
  isEarlierVersion?: boolean;
  /** The requested sources. */
  sourceIds?: readonly string[];
  /** In a batch, the public error code of the first pulse that couldn't be loaded. */
  itemCode?: string | undefined;
  /** The reason, which appears only in the log. */
  detail?: string | undefined;
  /**
   * Identifies an error, or an answer that shared caches must not store. A shared cache would send the id to other
   * readers, too.
   */
  requestId?: string;
}

/** The reader. */
export interface Reader extends Requester {
  /** Returns why the reader may not see a source, or undefined. The request guards set this function. */
  refusalOf: SourceRefusal;
  /** Each lookup counts as a view by this client; null if lookups don't count. */
  viewer: string | null;
  /** The name that `authorize` returned for the reader, if any. */
  name: string | undefined;
}

/** The parts of the server that a request needs. */
export interface ServerContext {
  /** Whether the server is about to stop. Each response then closes its connection. */
  readonly lifecycle: { readonly isStopping: boolean };
  /** Whether every response is for one browser only. */
  readonly isMounted: boolean;
  readonly clientKeyOf: ClientKeyResolver;
  readonly unreadBytes: UnreadBytes;
  /** Writes the head of a response. `headers` is name, value, name, value. */
  readonly writeHead: (response: ServerResponse, status: number, headers: string[], access: Access) => void;
  /** Called in order after each response. */
  readonly recorders: readonly ((response: ResponseRecord) => void)[];
}

/**
 * Who may use a route. `data`: pages on allowed origins. If access is by token, these pages need a token. `frame`: any
 * page may show the response in a frame. If access is by token, the request needs a token. `file`: any client and any
 * page. `probe`: any client except a web page. `none`: the path has no route. The guards treat such a path like `data`.
 */
export type Access = 'data' | 'frame' | 'file' | 'probe' | 'none';

/** Why this instance shouldn't get traffic. */
export interface ReadinessFailure {
  readonly code: ErrorCode;
  /** The reason, which names the missing part for the operator. Contains no secrets. */
  readonly reason: string;
}

/** Creates the page that shows an error where readers expect a page. */
export type ErrorPage = (error: PageError) => { readonly headers: readonly string[]; readonly html: string };

/** An error, as a page shows it. */
export interface PageError {
  readonly code: ErrorCode;
  /** The source that has no pulse. */
  readonly source: PublicSourceFacts | undefined;
  /** The `Retry-After` of the response. */
  readonly retryAfterSeconds: number | undefined;
}

const refuseAll: SourceRefusal = () => 'token_forbidden';

/** A request, its response, and the results of the guards. */
export class RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: Target;
  readonly reader: Reader;
  /** The facts about the response for the log and metrics. */
  readonly record: ResponseRecord;
  /** Headers that the response gets regardless of its route: name, value, name, value. */
  readonly headers: string[] = [];
  /** Who may use the route. Set before the guards run. */
  access: Access = 'none';
  /** Who may store the response. */
  cacheScope: CacheScope;
  /** How much of the limit the client has used. Reported only in responses that shared caches must not store. */
  clientRate: ClientRate | undefined;
  /** Whether caches may keep a 404 for a while. */
  isErrorCacheable = true;
  /** Set if errors for this request are shown as pages. */
  errorPage: ErrorPage | undefined;
  readonly #startedAt = performance.now();
  readonly #server: ServerContext;

  constructor(request: IncomingMessage, response: ServerResponse, server: ServerContext) {
    const client = server.clientKeyOf(request);
    this.request = request;
    this.response = response;
    this.target = targetOf(request);
    this.reader = { refusalOf: refuseAll, viewer: client, name: undefined };
    this.record = {
      request,
      method: request.method ?? '',
      client,
      headers: this.headers,
      route: 'none',
      status: 0,
      durationMs: 0,
      cacheResult: undefined,
      ageMs: undefined,
      code: undefined,
    };
    this.cacheScope = server.isMounted ? 'mounted' : 'shared';
    this.#server = server;
  }

  /** Responds with `bytes`. The response to HEAD has only the headers. */
  send(status: number, headers: readonly string[], bytes?: Buffer): void {
    const { request, response, record, access } = this;
    const { lifecycle, unreadBytes, writeHead } = this.#server;
    this.headers.push(...headers);
    // The server may have begun to stop while the response was prepared.
    if (lifecycle.isStopping) this.closeConnection();
    this.#addIdAndRate();
    writeHead(response, status, this.headers, access);
    if (bytes === undefined || request.method === 'HEAD') response.end();
    else {
      response.end(bytes);
      unreadBytes.add(response, bytes.length);
    }
    record.status = status;
    record.durationMs = performance.now() - this.#startedAt;
    for (const recordAnswer of this.#server.recorders) recordAnswer(record);
  }

  /** Closes the connection after this response. */
  closeConnection(): void {
    if (!hasHeader(this.headers, 'Connection')) this.headers.push('Connection', 'close');
  }

  /** Adds the request id and the client's rate, unless a shared cache would send them to other readers. */
  #addIdAndRate(): void {
    const { record, headers, cacheScope } = this;
    const isError = record.code !== undefined;
    const isForOne = isForOneReader(headers, cacheScope, isError);
    if (isForOne || isError) record.requestId = randomUUID();
    if (isForOne && record.requestId !== undefined && !this.response.hasHeader('X-Request-Id'))
      headers.push('X-Request-Id', record.requestId);
    const isShared = record.code !== 'rate_limited' && isShareable(headers, cacheScope);
    if (!isShared && this.clientRate) headers.push(...rateHeaders(this.clientRate));
  }
}

/** Returns whether a request only reads data. */
export function isReading({ method }: Pick<IncomingMessage, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Returns how many times a request has a header. `headersDistinct` isn't used, because it throws in Node 22 if a header
 * is named `__proto__`.
 */
export function countOf(name: string, { rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count;
}
