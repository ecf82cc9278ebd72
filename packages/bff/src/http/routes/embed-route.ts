import { type ErrorCode, isSourceId } from '@pulse-card/contract';
import type { LookupResult, PulseLookups, SourceSnapshot } from '../../cache/port.ts';
import { sendCached } from '../response-headers.ts';
import type { FreshnessPolicy } from '../../cache/freshness.ts';
import type { ErrorPage, RequestContext } from '../request-context.ts';
import { type FieldPolicy, publicPulse, publicSourceFacts } from '../public-pulse.ts';
import { type ErrorDetails, sendError, sendSourceForbidden } from '../send-error.ts';
import {
  type FrameOptions,
  frameOptionsOf,
  type FrameServer,
  frameErrorPage,
  framePage,
  framePolicy,
  imageOriginsOf,
} from '../../embed/frame-page.ts';
import { RepresentationCache } from '../representation.ts';

/** The route of a page for a frame, as log and metrics name it. */
export const EMBED_ROUTE = '/embed/:sourceId';

const HTML_TYPE = 'text/html; charset=utf-8';

/** What the route of pages for frames needs. */
export interface EmbedRouteOptions {
  readonly cache: PulseLookups;
  readonly fieldPolicy: FieldPolicy;
  readonly freshnessPolicy: FreshnessPolicy;
  readonly server: FrameServer;
  readonly pages: RepresentationCache;
}

/** Creates the cache of frame pages. */
export function pageCache(): RepresentationCache {
  return new RepresentationCache(HTML_TYPE);
}

/** Answers with a page that shows the latest pulse of a source. */
export async function sendEmbed(context: RequestContext, sourceId: string, parts: EmbedRouteOptions): Promise<void> {
  if (!isSourceId(sourceId)) return sendError(context, 'invalid_source_id');
  context.sourceIds = [sourceId];
  if (!context.accessGrant.allowsSource(sourceId)) return sendSourceForbidden(context);
  const lookup = parts.cache.getIfCached(sourceId) ?? (await parts.cache.getOrFetch(sourceId));
  return sendPage(context, lookup, parts);
}

function sendPage(context: RequestContext, lookup: LookupResult<SourceSnapshot>, parts: EmbedRouteOptions): void {
  if (!lookup.ok) return sendError(context, lookup.code, { retryAfterSeconds: lookup.retryAfterSeconds });
  const { value: snapshot, stale } = lookup;
  const source = publicSourceFacts(snapshot, parts.fieldPolicy);
  if (snapshot.pulse === null) return sendError(context, 'pulse_not_found', { source });
  const pulse = publicPulse(snapshot.pulse, parts.fieldPolicy);
  const requestedAt = new Date(snapshot.requestedAtMs).toISOString();
  const options = frameOptionsOf(new URLSearchParams(context.query));
  const body = parts.pages.body(snapshot, stale, `${formOf(options)} ${parts.fieldPolicy.imagePeriod?.() ?? 0}`, () =>
    framePage({ sourceId: snapshot.sourceId, stale, requestedAt, pulse, source }, options, parts.server),
  );
  const { allowedOrigins } = parts.server;
  context.headers.push(...framePolicy({ allowedOrigins, imageOrigins: imageOriginsOf(pulse.imageUrl) }));
  sendCached(context, body, lookup, parts.freshnessPolicy);
}

/** A name for a choice of options. */
export function formOf({ variant, theme, language }: FrameOptions): string {
  return `${variant} ${theme} ${language}`;
}

/** Codes that a frame page shows as another one. */
const ERROR_CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'source_unknown',
  method_not_allowed: 'source_unknown',
  token_missing: 'token_forbidden',
  token_invalid: 'token_forbidden',
  origin_forbidden: 'token_forbidden',
};

/** Makes the frame page for an error of any route. */
export function errorPageOf(server: FrameServer): ErrorPage {
  const headers = framePolicy({ allowedOrigins: server.allowedOrigins, imageOrigins: [] });
  return (context, code, { source, retryAfterSeconds }: ErrorDetails) => {
    const options = frameOptionsOf(new URLSearchParams(context.query));
    const failure = { code: ERROR_CODES[code] ?? code, retryAfterSeconds, ...(source && { source }) };
    return { contentType: HTML_TYPE, headers, text: frameErrorPage(failure, options, server) };
  };
}
