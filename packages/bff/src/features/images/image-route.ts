import type { ReadPulse } from '@pulse-card/contract';
import type { RequestContext, RouteParts } from '../../http/request-context.ts';
import { entityTagOf, isNoneMatch } from '../../http/representation.ts';
import { recordFreshness, sendError } from '../../http/respond.ts';
import { IMMUTABLE } from '../../http/files.ts';
import { findSource } from '../../http/routes/pulses-route.ts';

/** The route of a chart, as log and metrics name it. */
export const IMAGE_ROUTE = '/v1/sources/:sourceId/image';

/** The chart of one run for one reader, for the lifetime of its signed URL. */
const PRIVATE_RUN = 'private, max-age=7200, immutable';

/** The latest chart, whose address stays: caches ask each time. */
const LATEST = 'no-cache';

/**
 * Answers with the chart of a source's latest pulse; with `run`, with that of this run alone, whose bytes may be kept for ever.
 */
export async function sendImage(context: RequestContext, parts: RouteParts, sourceId: string): Promise<void> {
  const run = new URLSearchParams(context.query).get('run');
  context.isErrorCacheable = false;
  // Whoever knows the run has asked for the pulse, and was counted then.
  context.isView &&= run === null;
  const lookup = await findSource(context, sourceId, parts);
  if (lookup === undefined) return;
  const { pulse } = lookup.value;
  if (pulse === null) return sendError(context, 'pulse_not_found');
  if (run !== null && run !== pulse.jobRunId) return sendError(context, 'not_found', { error: 'No chart of this run' });
  if (pulse.imageUrl === null) return sendError(context, 'not_found', { error: 'This pulse has no chart' });
  recordFreshness(context, lookup);
  return sendChart(context, pulse, parts.images, cachePolicy(run, context.isPrivate));
}

function cachePolicy(run: string | null, isPrivate: boolean): string {
  if (run !== null) return isPrivate ? PRIVATE_RUN : IMMUTABLE;
  return isPrivate ? `private, ${LATEST}` : LATEST;
}

async function sendChart(
  context: RequestContext,
  { jobRunId, imageUrl }: Pick<ReadPulse, 'jobRunId' | 'imageUrl'>,
  { cache, hosts }: RouteParts['images'],
  policy: string,
): Promise<void> {
  const address = hosts.allowed(imageUrl);
  if (address === undefined) return sendError(context, 'upstream_invalid');
  // The bytes of a run never change.
  const tag = context.tagOf(entityTagOf(Buffer.from(jobRunId)));
  // Tells the card which run a chart shows that the page has already loaded: on any origin if the chart is public.
  const run = `run;desc="${encodeURIComponent(jobRunId)}"`;
  const timing = ['Server-Timing', run, ...(context.isPrivate ? [] : ['Timing-Allow-Origin', '*'])];
  const headers = ['Cache-Control', policy, 'ETag', tag, ...timing];
  if (isNoneMatch(context.request.headers['if-none-match'], tag)) return context.send(304, headers);
  const chart = await cache.read(jobRunId, address, context);
  if (!chart.ok) return sendError(context, chart.code);
  const length = ['Content-Length', String(chart.bytes.length)];
  context.send(200, [...headers, ...IMAGE_HEADERS, ...length], chart.bytes);
}

/** Headers that let a browser do nothing but show the chart. */
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
