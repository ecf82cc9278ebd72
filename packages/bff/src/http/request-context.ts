import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode, PublicSourceFacts } from '@pulse-card/contract';
import type { Requester, SourceRefusal } from '../cache/pulse-reader.ts';
import { type CacheScope, isForOneReader, isShareable } from './cache-headers.ts';
import type { ClientKeyResolver } from './client-key.ts';
import { hasHeader } from './header-list.ts';
import type { UnreadBytes } from './unread-bytes.ts';

/** A finished response, for the log and the metrics. */
export type ResponseRecord = Readonly<
  Pick<
    RequestContext,
    'method' | 'route' | 'status' | 'durationMs' | 'cacheResult' | 'ageMs' | 'code' | 'request' | 'client'
  > &
    Partial<Pick<RequestContext, 'isEarlierVersion' | 'sourceIds' | 'itemCode' | 'detail' | 'requestId' | 'headers'>>
>;

/** The parts of the server that a request needs. */
export interface ServerContext {
  /** The server is about to stop: each response closes its connection. */
  readonly lifecycle: { readonly isStopping: boolean };
  /** Every response is for one browser. */
  readonly isMounted: boolean;
  readonly clientKeyOf: ClientKeyResolver;
  readonly unreadBytes: UnreadBytes;
  /** Writes the head of a response; `headers` is name, value, name, value. */
  readonly writeHead: (response: ServerResponse, status: number, headers: string[], access: Access) => void;
  /** Called in turn after each response. */
  readonly recorders: readonly ((response: ResponseRecord) => void)[];
}

/**
 * The users of a route. `data`: pages of allowed origins, with a token where access is by token; `frame`: any page may show it,
 * with a token as for data; `file`: everyone, from any page; `probe`: everyone, from no page. `none` is a path that no route has:
 * it is guarded like data.
 */
export type Access = 'data' | 'frame' | 'file' | 'probe' | 'none';

/** Why this instance should get no traffic. */
export interface ReadinessFailure {
  readonly code: ErrorCode;
  /** The missing part, for the operator; without secrets. */
  readonly reason: string;
}

/** Makes the page that shows an error where readers expect a page. */
export type ErrorPage = (error: PageError) => { readonly headers: readonly string[]; readonly html: string };

/** An error as a page shows it. */
export interface PageError {
  readonly code: ErrorCode;
  /** The source that has no pulse. */
  readonly source: PublicSourceFacts | undefined;
  /** The `Retry-After` of the response. */
  readonly retryAfterSeconds: number | undefined;
}

const NO_SOURCES: readonly string[] = [];
const refuseAll: SourceRefusal = () => 'token_forbidden';

/** A request, its response, and what the guards found. */
export class RequestContext implements Requester {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Whether every server on the way reads the same path and host in the target. */
  readonly isTargetValid: boolean;
  /** The path as sent, without the query and the mount path. */
  readonly path: string;
  /** The text after the first `?`. */
  readonly query: string;
  /** Headers of any response: name, value, name, value. */
  readonly headers: string[] = [];
  /** Returns why the reader may not see a source, or undefined; set by the request guards. */
  refusalOf: SourceRefusal = refuseAll;
  /** The users of the route; set before the guards. */
  access: Access = 'none';
  /** Who the reader is, if `authorize` has named one. */
  reader: string | undefined;
  /** What the limit per client says: name, value, name, value. Sent with answers that no shared cache keeps. */
  rateHeaders: readonly string[] = [];
  /** Whether lookups count as views of a source; those of the operator do not. */
  isView = true;
  /** Caches may keep a 404 for a while. */
  isErrorCacheable = true;
  /** Set where errors are pages. */
  errorPage: ErrorPage | undefined;
  /** The template of the route, such as `/v1/sources/:sourceId/pulse`; `none` if no route matched. */
  route = 'none';
  /** The cache result, such as `hit`; undefined if the cache was not used. */
  cacheResult: string | undefined;
  /** Age of the cached entry, in ms. */
  ageMs: number | undefined;
  /** Whether an earlier version was answered, if it came from the cache. */
  isEarlierVersion: boolean | undefined;
  /** The sources that were asked for. */
  sourceIds: readonly string[] = NO_SOURCES;
  /** The public code of an error. */
  code: string | undefined;
  /** The public code of the first pulse of a batch that could not be had. */
  itemCode: string | undefined;
  /** The reason, only for the log. */
  detail: string | undefined;
  status = 0;
  durationMs = 0;
  readonly #startedAt = performance.now();
  readonly #server: ServerContext;
  #isPrivate = false;
  #client: string | undefined;
  #requestId: string | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, server: ServerContext) {
    const target = originForm(request);
    const queryAt = target?.indexOf('?') ?? -1;
    this.request = request;
    this.response = response;
    this.isTargetValid = target !== undefined;
    this.path = queryAt === -1 ? (target ?? '') : (target ?? '').slice(0, queryAt);
    this.query = queryAt === -1 ? '' : (target ?? '').slice(queryAt + 1);
    this.#server = server;
  }

  /** A stop may begin while the response is prepared. */
  get isStopping(): boolean {
    return this.#server.lifecycle.isStopping;
  }

  /** Who may store the response. */
  get cacheScope(): CacheScope {
    if (this.#server.isMounted) return 'mounted';
    return this.#isPrivate ? 'private' : 'shared';
  }

  /** The response is only for this reader. */
  makePrivate(): void {
    this.#isPrivate = true;
  }

  /** The client that lookups count as views of; null if they do not count. */
  get viewer(): string | null {
    return this.isView ? this.client : null;
  }

  /** The key of the client. */
  get client(): string {
    return (this.#client ??= this.#server.clientKeyOf(this.request));
  }

  /** Names the request in the log, and in answers that no shared cache keeps: a cache would send it to other readers, too. */
  get requestId(): string {
    return (this.#requestId ??= randomUUID());
  }

  get isHead(): boolean {
    return this.request.method === 'HEAD';
  }

  get isReadMethod(): boolean {
    return this.method === 'GET' || this.method === 'HEAD';
  }

  get method(): string {
    return this.request.method ?? '';
  }

  /** Answers with `bytes`; HEAD gets the headers only. */
  send(status: number, headers: readonly string[], bytes?: Buffer): void {
    this.headers.push(...headers);
    if (this.isStopping && !hasHeader(this.headers, 'Connection')) this.headers.push('Connection', 'close');
    const isForOne = isForOneReader(this.headers, this.cacheScope, this.code !== undefined);
    if (isForOne && !this.response.hasHeader('X-Request-Id')) this.headers.push('X-Request-Id', this.requestId);
    const isShared = this.code !== 'rate_limited' && isShareable(this.headers, this.cacheScope);
    if (!isShared) this.headers.push(...this.rateHeaders);
    this.#server.writeHead(this.response, status, this.headers, this.access);
    if (bytes === undefined || this.isHead) this.response.end();
    else {
      this.response.end(bytes);
      this.#server.unreadBytes.add(this.response, bytes.length);
    }
    this.finish(status);
  }

  /** The tag of a body for this reader. Readers with names share no tag: a 304 would leave the name of another reader in a browser's cache. */
  tagOf(tag: string): string {
    return this.reader === undefined ? tag : `${tag.slice(0, -1)}.${digestOf(this.reader)}"`;
  }

  /** Records the response; `send` calls it itself. */
  finish(status: number): void {
    this.status = status;
    this.durationMs = performance.now() - this.#startedAt;
    for (const record of this.#server.recorders) record(this);
  }
}

/** Characters of a digest in a tag: 48 bits tell the readers of one browser apart. */
const DIGEST_LENGTH = 8;

function digestOf(reader: string): string {
  return createHash('sha256').update(reader).digest('base64url').slice(0, DIGEST_LENGTH);
}

/** Characters that servers read differently: some take `\\` for `/` and cut at `#`. */
// eslint-disable-next-line no-control-regex -- control characters are what must not be there
const AMBIGUOUS = /[\u0000-\u0020\u007f#\\]/;

const ABSOLUTE_FORM = /^https?:\/\/([^/?]*)(.*)$/i;

/**
 * The target of a request as path and query, also if it was sent as a whole address (RFC 9112, 3.2.2); undefined where
 * another server could read another path or host in it.
 */
function originForm({ url = '/', headers }: IncomingMessage): string | undefined {
  if (AMBIGUOUS.test(url)) return undefined;
  if (url.startsWith('/') || url === '*') return url;
  const [, host, rest = ''] = ABSOLUTE_FORM.exec(url) ?? [];
  if (host === undefined || host.toLowerCase() !== (headers.host ?? host).toLowerCase()) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** A path segment, percent-decoded once; undefined if the encoding is broken. */
export function decodedSegment(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** How often a header was sent. `headersDistinct` throws in Node 22 if a header is named `__proto__`. */
export function countOf(name: string, { rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count;
}
