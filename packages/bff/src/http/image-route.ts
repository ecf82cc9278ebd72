import { createHash } from 'node:crypto';
import { isSourceId, type ReadPulse } from '@pulse-card/contract';
import { imageAddress } from '../access/image-address.ts';
import type { ImageCapabilities } from '../access/image-capabilities.ts';
import { isFitHost } from '../access/public-lookup.ts';
import type { PulseCache } from '../cache/port.ts';
import { isNoneMatch } from './entity-tag.ts';
import type { Exchange } from './exchange.ts';
import type { ImageStore } from './image-store.ts';
import { isPermitted } from './refuse-token.ts';
import { sendError } from './send-error.ts';
import { IMMUTABLE } from './static-file.ts';

/** The route of a chart, as log and metrics name it. */
export const IMAGE_ROUTE = '/v1/sources/:sourceId/image';

/** The chart of the latest run, whichever that is: kept shortly. */
const LATEST = 'public, max-age=15, stale-if-error=86400';

/** A chart for one reader alone, for as long as its address may live. */
const PRIVATE = 'private, max-age=7200, immutable';

/** The chart of the latest run, for one reader alone. */
const PRIVATE_LATEST = 'private, max-age=15';

/** What the route of charts needs. */
export interface ImageRouteParts {
  readonly cache: PulseCache;
  readonly store: ImageStore;
  readonly hosts: readonly string[];
}

/** Answers with the chart of a source's latest pulse; with `run`, with that of this run alone, to be kept for ever. */
export async function answerImage(exchange: Exchange, sourceId: string, parts: ImageRouteParts): Promise<void> {
  if (!isSourceId(sourceId)) return sendError(exchange, 'invalid_source_id');
  if (!isPermitted(exchange, sourceId)) return undefined;
  const reading = parts.cache.peekCard(sourceId) ?? (await parts.cache.readCard(sourceId));
  if (!reading.ok) return sendError(exchange, reading.code, { retryAfterSeconds: reading.retryAfterSeconds });
  if (reading.known.pulse === null) return sendError(exchange, 'pulse_not_found');
  return answerChart(exchange, reading.known.pulse, parts);
}

async function answerChart(exchange: Exchange, pulse: ReadPulse, { hosts, store }: ImageRouteParts): Promise<void> {
  const run = new URLSearchParams(exchange.query).get('run');
  if (run !== null && run !== pulse.jobRunId)
    return sendError(exchange, 'not_found', { error: 'No chart of this run' });
  if (pulse.imageUrl === null) return sendError(exchange, 'not_found', { error: 'This pulse has no chart' });
  const address = fitAddress(pulse.imageUrl, hosts);
  if (address === undefined) return sendError(exchange, 'upstream_invalid');
  const kept = lifetimeOf(exchange.isPrivate, run);
  const tag = `"${createHash('sha256').update(pulse.jobRunId).digest('base64url').slice(0, 22)}"`;
  const headers = ['Cache-Control', kept, 'ETag', tag];
  if (isNoneMatch(exchange.request.headers['if-none-match'], tag)) return exchange.send(304, headers);
  if (exchange.isHead) return exchange.send(200, [...headers, ...IMAGE_HEADERS]);
  const chart = await store.read(pulse.jobRunId, address);
  if (!chart.ok) return sendError(exchange, chart.code);
  return exchange.send(200, [...headers, ...IMAGE_HEADERS, 'Content-Length', String(chart.bytes.length)], chart.bytes);
}

function lifetimeOf(isPrivate: boolean, run: string | null): string {
  if (run === null) return isPrivate ? PRIVATE_LATEST : LATEST;
  return isPrivate ? PRIVATE : IMMUTABLE;
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
