import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode } from '@pulse-card/contract';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { AllowedSources } from '../pulses/pulses.ts';
import type { CacheScope } from './cache-scope.ts';

/** What the log, the metrics, and the status record about a response. */
export interface RequestRecord {
  /** The route's template, such as `/v1/sources/:sourceId/pulse`; `none` if no route matched. */
  route: string;
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  status: number;
  durationMs: number;
  /** The public error code, if the response is an error. */
  code?: ErrorCode;
  /** In a batch, the codes of the entries without a pulse. */
  itemCodes?: readonly ErrorCode[];
  /** In a batch, the first ID that isn't a known source. */
  missingId?: string;
  /** What the cache did; undefined if it wasn't used. */
  cache?: 'hit' | 'miss' | 'stale';
  isStale?: boolean;
  ageMs?: number;
  /** Whether the request came through a proxy that `TRUST_PROXY` doesn't include. */
  readonly isUntrustedProxy: boolean;
  /** The reason for an error. It appears only in the log. */
  detail?: string;
  sourceIds: readonly string[];
  readonly origin?: string | undefined;
  readonly referer?: string | undefined;
  /** The key under which the client limit counts requests. */
  readonly client: string;
  requestId?: string;
}

/** Called with the facts about each response. */
export type Recorder = (record: RequestRecord) => void;

/** What the router's middleware knows about a request. */
export interface Locals {
  /** The sources that the request may see. */
  sources: AllowedSources;
  /** The reader's name, if the application or a token provides one. */
  reader?: string;
  /** The viewer to count the request for; null if the request isn't a view. */
  viewer: string | null;
  /** Who may store the response. */
  scope: CacheScope;
  record: RequestRecord;
  /** The `Vary` header that a file is sent with. */
  vary?: string;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- Express' own types require it
type AnyLocals = Locals & Record<string, any>;

/** The path parameters of a route that contains a source ID. */
type SourceParams = Readonly<Record<'sourceId', string>>;

/** A request for any route. */
export type AnyRequest = Pick<Request, 'headers' | 'method' | 'url'>;
export type PulseResponse = Response<unknown, AnyLocals>;

/** A handler that can use what earlier middleware has set in `res.locals`. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a middleware works with any parameters
export type Handler<Params = any> = RequestHandler<Params, unknown, unknown, Request['query'], AnyLocals>;
export type SourceHandler = Handler<SourceParams>;
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a middleware works with any parameters
export type ErrorHandler = ErrorRequestHandler<any, unknown, unknown, Request['query'], AnyLocals>;

/** Who sent a request. */
type ClientOf = (req: IncomingMessage) => Pick<RequestRecord, 'client' | 'isUntrustedProxy'>;

/**
 * Sets the initial state, before any rule has checked the request: nothing may be seen, and no cache may store the
 * response. `recorders` are called in order after each response.
 */
export function recordRequest(clientOf: ClientOf, scope: CacheScope, recorders: readonly Recorder[]): Handler {
  return (req, res, next) => {
    const startedAt = performance.now();
    const { origin, referer } = req.headers;
    const [path = ''] = req.originalUrl.split('?', 1);
    const facts = { route: 'none', method: req.method, path, origin, referer, sourceIds: [], ...clientOf(req) };
    const record: RequestRecord = { ...facts, status: 0, durationMs: 0 };
    // The application's own `locals` are kept for `authorize` and its log, but none of them can be mistaken for one of
    // ours.
    const { reader: _reader, vary: _vary, ...theirs } = (res.locals as Partial<Locals> | undefined) ?? {};
    res.locals = { ...theirs, sources: new Set(), viewer: record.client, scope, record };
    res.once('finish', () => {
      const { path: route } = (req.route ?? {}) as { readonly path?: unknown };
      if (record.route === 'none' && typeof route === 'string') record.route = route;
      record.status = res.statusCode;
      record.durationMs = performance.now() - startedAt;
      for (const receive of recorders) receive(record);
    });
    next();
  };
}

/** Adds request header names to `Vary`. Also works for responses that no Express application has prepared. */
export function addVary(res: ServerResponse, names: string): void {
  express.response.vary.call(res as Response, names);
}

/** A request's path. */
export function pathOf({ url }: { readonly url: string }): string {
  return url.split('?', 1)[0] ?? '';
}

/** A request's query. */
export function queryOf({ url }: { readonly url: string }): URLSearchParams {
  return new URLSearchParams(url.slice(pathOf({ url }).length));
}
