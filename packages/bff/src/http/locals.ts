import type { ErrorCode } from '@pulse-card/contract';
import type { Request, Response } from 'express';
import type { AllowedSources } from '../pulses/pulses.ts';
import type { CacheScope } from './cache-scope.ts';

/** The facts about a response, for the log, the metrics, and the status. */
export interface RequestRecord {
  /** The template of the route, such as `/v1/sources/:sourceId/pulse`; `none` if no route matched. */
  route: string;
  readonly method: string;
  /** The path without its query. */
  readonly path: string;
  status: number;
  durationMs: number;
  /** The public error code, if the response is an error. */
  code?: ErrorCode;
  /** In a batch, the code of the first pulse that couldn't be loaded. */
  itemCode?: ErrorCode;
  /** What the cache did. Undefined if the cache wasn't used. */
  cache?: 'hit' | 'miss' | 'stale';
  isStale?: boolean;
  /** The reason for an error. It appears only in the log. */
  detail?: string;
  sourceIds: readonly string[];
  readonly origin?: string | undefined;
  readonly referer?: string | undefined;
  /** The key that the client limit counts. */
  readonly client: string;
  requestId?: string;
}

/** What the middleware of the router knows about a request. */
export interface Locals {
  /** The sources that the request may see. */
  sources: AllowedSources;
  /** The name of the reader, if the application or a token names one. */
  reader?: string;
  /** The viewer that a read counts for; null if a read isn't a view. */
  viewer: string | null;
  /** Who may store the response. */
  scope: CacheScope;
  record: RequestRecord;
  /** The `Vary` that a file is sent with. */
  vary?: string;
}

/** The request and response of a route with the path parameter `sourceId`. */
export type PulseRequest = Request<{ sourceId: string }>;
export type PulseResponse = Response<unknown, Locals & Record<string, unknown>>;

/** The query of a request. */
export function queryOf({ url }: Pick<Request, 'url'>): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
}
