import { type ReadPulse, safeUrl } from '@pulse-card/contract';
import { allowedImageUrl } from '../../auth/ssrf-safe-lookup.ts';
import type { ImageUrlSigner } from '../../auth/image-url-signer.ts';
import { recordFreshness } from '../response-headers.ts';
import { entityTagOf, isNoneMatch } from '../representation.ts';
import type { RequestContext } from '../context.ts';
import type { RouteParts } from '../route.ts';
import { allowsBytes, sendError } from '../respond.ts';
import { IMMUTABLE } from '../widget-files.ts';
import { findSource } from './pulses-route.ts';

/** The route of a chart, as log and metrics name it. */
export const IMAGE_ROUTE = '/v1/sources/:sourceId/image';

/** The chart of one run for one reader, for the lifetime of its signed URL. */
const PRIVATE_RUN = 'private, max-age=7200, immutable';

/**
 * Answers with the chart of a source's latest pulse, or with a redirect to it; with `run`, with that of this run alone, whose
 * bytes may be kept for ever.
 */
export async function sendImage(context: RequestContext, parts: RouteParts, sourceId: string): Promise<void> {
  const run = new URLSearchParams(context.query).get('run');
  // Whoever knows the run has asked for the pulse, and was counted then.
  const lookup = await findSource(context, sourceId, run === null ? parts.lookups : parts.cache.uncounted);
  if (lookup === undefined) return;
  const { pulse } = lookup.value;
  if (pulse === null) return sendError(context, 'pulse_not_found');
  if (run !== null && run !== pulse.jobRunId) return sendError(context, 'not_found', { error: 'No chart of this run' });
  if (pulse.imageUrl === null) return sendError(context, 'not_found', { error: 'This pulse has no chart' });
  const freshness = recordFreshness(context, lookup, parts.freshnessPolicy);
  if (parts.images === undefined) return redirectToChart(context, pulse.imageUrl, freshness);
  const policy = run === null ? freshness : ['Cache-Control', context.isPrivate ? PRIVATE_RUN : IMMUTABLE];
  return sendChart(context, pulse, { ...parts.images, policy });
}

function redirectToChart(context: RequestContext, imageUrl: string, freshness: readonly string[]): void {
  const location = safeUrl(imageUrl);
  if (location === undefined) return sendError(context, 'upstream_invalid');
  const headers = ['Location', location, 'Referrer-Policy', 'no-referrer', 'Content-Length', '0'];
  return context.send(302, [...freshness, ...headers]);
}

interface ChartParts extends NonNullable<RouteParts['images']> {
  /** The caching headers. */
  readonly policy: readonly string[];
}

async function sendChart(
  context: RequestContext,
  { jobRunId, imageUrl }: Pick<ReadPulse, 'jobRunId' | 'imageUrl'>,
  { cache, hosts, policy }: ChartParts,
): Promise<void> {
  const address = allowedImageUrl(imageUrl, hosts);
  if (address === undefined) return sendError(context, 'upstream_invalid');
  // The bytes of a run never change.
  const tag = entityTagOf(Buffer.from(jobRunId));
  // Tells the card which run a chart shows that the page has already loaded.
  const run = `run;desc="${encodeURIComponent(jobRunId)}"`;
  const headers = [...policy, 'ETag', tag, 'Server-Timing', run];
  if (isNoneMatch(context.request.headers['if-none-match'], tag)) return context.send(304, headers);
  if (context.isHead) return context.send(200, [...headers, ...IMAGE_HEADERS]);
  const chart = await cache.read(jobRunId, address);
  if (!chart.ok) return sendError(context, chart.code);
  if (allowsBytes(context, chart.bytes))
    context.send(200, [...headers, ...IMAGE_HEADERS, 'Content-Length', String(chart.bytes.length)], chart.bytes);
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

/** Where the BFF is, which hosts it takes charts from, and how it signs their addresses where they must stand for a token. */
export interface ProxiedImages {
  readonly publicUrl: string;
  readonly imageHosts: readonly string[];
  readonly imageUrlSigner: ImageUrlSigner | undefined;
}

/** Where readers load the chart of a pulse from, when the BFF serves charts; null where it would not. */
export function proxiedImageUrl(
  { imageUrl, sourceId, jobRunId }: ReadPulse,
  { publicUrl, imageHosts, imageUrlSigner }: ProxiedImages,
): string | null {
  if (allowedImageUrl(imageUrl, imageHosts) === undefined) return null;
  const query = imageUrlSigner?.queryFor(sourceId, jobRunId) ?? `run=${encodeURIComponent(jobRunId)}`;
  return `${publicUrl}/v1/sources/${encodeURIComponent(sourceId)}/image?${query}`;
}
