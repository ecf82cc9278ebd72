import { createHash } from 'node:crypto';
import { isSourceId, type ReadPulse, safeUrl } from '@pulse-card/contract';
import { imageAddress } from '../access/image-address.ts';
import type { ImageCapabilities } from '../access/image-capabilities.ts';
import { isFitHost } from '../access/public-lookup.ts';
import type { PulseCache } from '../cache/port.ts';
import { recordFreshness } from './answer-freshness.ts';
import { isNoneMatch } from './entity-tag.ts';
import type { Exchange } from './exchange.ts';
import type { Lifetimes } from './freshness-headers.ts';
import type { ImageStore } from './image-store.ts';
import { isPermitted } from './refuse-token.ts';
import { sendError } from './send-error.ts';
import { IMMUTABLE } from './static-file.ts';

/** The route of a chart, as log and metrics name it. */
export const IMAGE_ROUTE = '/v1/sources/:sourceId/image';

/** The chart of one run for one reader alone, for as long as its address may live. */
const PRIVATE_RUN = 'private, max-age=7200, immutable';

/** What the route of charts needs. */
export interface ImageRouteParts {
  readonly cache: PulseCache;
  readonly lifetimes: Lifetimes;
  /** Undefined where browsers load charts from the CDN. */
  readonly proxy: { readonly store: ImageStore; readonly hosts: readonly string[] } | undefined;
}

/**
 * Answers with the chart of a source's latest pulse, or with a redirect to it; with `run`, with that of this run alone, whose
 * bytes may be kept for ever.
 */
export async function answerImage(exchange: Exchange, sourceId: string, parts: ImageRouteParts): Promise<void> {
  if (!isSourceId(sourceId)) return sendError(exchange, 'invalid_source_id');
  if (!isPermitted(exchange, sourceId)) return undefined;
  const reading = parts.cache.peekCard(sourceId) ?? (await parts.cache.readCard(sourceId));
  if (!reading.ok) return sendError(exchange, reading.code, { retryAfterSeconds: reading.retryAfterSeconds });
  const { pulse } = reading.known;
  if (pulse === null) return sendError(exchange, 'pulse_not_found');
  const run = new URLSearchParams(exchange.query).get('run');
  if (run !== null && run !== pulse.jobRunId)
    return sendError(exchange, 'not_found', { error: 'No chart of this run' });
  if (pulse.imageUrl === null) return sendError(exchange, 'not_found', { error: 'This pulse has no chart' });
  const freshness = recordFreshness(exchange, reading, parts.lifetimes);
  if (parts.proxy === undefined) return redirectToChart(exchange, pulse.imageUrl, freshness);
  const isOneRun = run !== null;
  const lifetime = isOneRun ? ['Cache-Control', exchange.isPrivate ? PRIVATE_RUN : IMMUTABLE] : freshness;
  return sendChart(exchange, pulse, { ...parts.proxy, lifetime });
}

function redirectToChart(exchange: Exchange, imageUrl: string, freshness: readonly string[]): void {
  const location = safeUrl(imageUrl);
  if (location === undefined) return sendError(exchange, 'upstream_invalid');
  const headers = ['Location', location, 'Referrer-Policy', 'no-referrer', 'Content-Length', '0'];
  return exchange.send(302, [...freshness, ...headers]);
}

interface ChartParts {
  readonly store: ImageStore;
  readonly hosts: readonly string[];
  /** The headers that say how long it may be kept. */
  readonly lifetime: readonly string[];
}

async function sendChart(
  exchange: Exchange,
  { jobRunId, imageUrl }: Pick<ReadPulse, 'jobRunId' | 'imageUrl'>,
  { store, hosts, lifetime }: ChartParts,
): Promise<void> {
  const address = fitAddress(imageUrl, hosts);
  if (address === undefined) return sendError(exchange, 'upstream_invalid');
  const tag = `"${createHash('sha256').update(jobRunId).digest('base64url').slice(0, 22)}"`;
  // The card takes a chart that the page has already loaded, if it is that of the run it shows.
  const run = `run;desc="${encodeURIComponent(jobRunId)}"`;
  const headers = [...lifetime, 'ETag', tag, 'Server-Timing', run];
  if (isNoneMatch(exchange.request.headers['if-none-match'], tag)) return exchange.send(304, headers);
  if (exchange.isHead) return exchange.send(200, [...headers, ...IMAGE_HEADERS]);
  const chart = await store.read(jobRunId, address);
  if (!chart.ok) return sendError(exchange, chart.code);
  return exchange.send(200, [...headers, ...IMAGE_HEADERS, 'Content-Length', String(chart.bytes.length)], chart.bytes);
}

/** What a browser may do with a chart: show it. */
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
  readonly capabilities: ImageCapabilities | undefined;
}

/** Where readers load the chart of a pulse from, when the BFF serves charts; null where it would not. */
export function proxiedImageUrl(
  { imageUrl, sourceId, jobRunId }: ReadPulse,
  { publicUrl, imageHosts, capabilities }: ProxiedImages,
): string | null {
  if (fitAddress(imageUrl, imageHosts) === undefined) return null;
  const query = capabilities?.queryFor(sourceId, jobRunId) ?? `run=${encodeURIComponent(jobRunId)}`;
  return `${publicUrl}/v1/sources/${encodeURIComponent(sourceId)}/image?${query}`;
}

function fitAddress(imageUrl: string | null, hosts: readonly string[]): URL | undefined {
  const address = imageAddress(imageUrl, hosts);
  return address !== undefined && isFitHost(address.hostname) ? address : undefined;
}
