import type { ReadPulse } from '@pulse-card/contract';
import { ageHeaders, type CacheScope, IMMUTABLE, MOUNTED } from '../../http/cache-headers.ts';
import { sendError } from '../../http/errors.ts';
import { entityTagOf, isNoneMatch } from '../../http/representation.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { recordFreshness, tagFor } from '../../http/respond.ts';
import { IMAGE_ROUTE, type Route, type RouteParts } from '../../http/route.ts';
import { findSource } from '../../http/routes/pulses-route.ts';
import type { ImageCache } from './image-cache.ts';
import type { ImageHosts } from './image-hosts.ts';

/** The parts that fetch and cache charts. */
export interface Images {
  readonly hosts: ImageHosts;
  readonly cache: ImageCache;
}

/** The route of charts. */
export function imageRoute(images: Images): Route {
  return {
    path: IMAGE_ROUTE,
    access: 'data',
    answer: (context, parts, sourceId) => sendImage(context, parts, sourceId, images),
  };
}

/** `Cache-Control` for one run's chart: for one reader, and for the lifetime of the signed URL. */
const PRIVATE_RUN = 'private, max-age=7200, immutable';

/** `Cache-Control` for the latest chart, whose address never changes. Caches revalidate the chart each time. */
const LATEST = 'no-cache';

/**
 * Responds with the chart of a source's latest pulse. With `run`, responds only with the chart of that run, whose bytes
 * never change.
 */
async function sendImage(context: RequestContext, parts: RouteParts, sourceId: string, images: Images): Promise<void> {
  const run = new URLSearchParams(context.target.query).get('run');
  context.isErrorCacheable = false;
  // If a page names a run, it has already requested the pulse, and that request was counted as a view.
  if (run !== null) context.reader.viewer = null;
  const lookup = await findSource(context, sourceId, parts);
  if (lookup === undefined) return;
  const { pulse: latest } = lookup.value;
  if (latest === null) return sendError(context, 'pulse_not_found');
  const isLatest = run === null || run === latest.jobRunId;
  const pulse = isLatest ? latest : parts.additions.pulseOfRun?.(lookup.value, run);
  if (pulse === undefined) return sendError(context, 'not_found', { error: 'This run has no chart' });
  if (pulse.imageUrl === null) return sendError(context, 'not_found', { error: 'This pulse has no chart' });
  recordFreshness(context, lookup);
  const headers = [...ageHeaders(lookup), 'Cache-Control', cachePolicy(run, context.cacheScope)];
  return sendChart(context, pulse, images, headers);
}

function cachePolicy(run: string | null, scope: CacheScope): string {
  if (scope === 'mounted') return MOUNTED;
  if (run !== null) return scope === 'private' ? PRIVATE_RUN : IMMUTABLE;
  return scope === 'private' ? `private, ${LATEST}` : LATEST;
}

async function sendChart(
  context: RequestContext,
  { jobRunId, imageUrl }: Pick<ReadPulse, 'jobRunId' | 'imageUrl'>,
  { cache, hosts }: Images,
  cacheHeaders: readonly string[],
): Promise<void> {
  const address = hosts.allowed(imageUrl);
  if (address === undefined) return sendError(context, 'upstream_invalid');
  // The bytes of a run's chart never change.
  const tag = tagFor(context.reader, entityTagOf(Buffer.from(jobRunId)));
  // Tells the card which run the chart in the page belongs to. If the chart is public, pages on any origin can read
  // this.
  const run = `run;desc="${encodeURIComponent(jobRunId)}"`;
  const timing = ['Server-Timing', run, ...(context.cacheScope === 'shared' ? ['Timing-Allow-Origin', '*'] : [])];
  const headers = [...cacheHeaders, 'ETag', tag, ...timing];
  if (isNoneMatch(context.request.headers['if-none-match'], tag)) return context.send(304, headers);
  const chart = await cache.read(jobRunId, address, context);
  if (!chart.ok) return sendError(context, chart.code);
  const length = ['Content-Length', String(chart.bytes.length)];
  context.send(200, [...headers, ...IMAGE_HEADERS, ...length], chart.bytes);
}

/** Headers that allow a browser to display the chart, and nothing else. */
const IMAGE_HEADERS = [
  'Content-Type',
  'image/png',
  'Content-Disposition',
  'inline; filename="pulse.png"',
  'Content-Security-Policy',
  "default-src 'none'; sandbox",
  'Accept-Ranges',
  'none',
];
