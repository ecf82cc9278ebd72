import type { RequestContext } from '../../http/request-context.ts';
import { decodedSegment } from '../../http/target.ts';
import type { Route, RouteParts } from '../../http/route.ts';
import { readableBy } from '../../http/origins.ts';
import { publicAnswer } from '../../http/public-fields.ts';
import { JSON_TYPE, Representation } from '../../http/representation.ts';
import { freshSecondsOf } from '../../http/cache-headers.ts';
import { sendError } from '../../http/errors.ts';
import { sendCached, sendText } from '../../http/respond.ts';
import { findSource } from '../../http/routes/pulses-route.ts';
import { type ErrorBody, isSourceId, type PublicPulse, type PulseAnswer } from '@pulse-card/contract';
import type { AppConfig } from '../../config/config.ts';
import { escapeHtml } from '@pulse-card/widget/server';
import { FRAME_WIDTH_PX, frameHeightPx, framePageUrl, snippetFor } from '@pulse-card/widget/snippet';
import {
  AI_GENERATED,
  descriptionOf,
  type FrameOptions,
  frameOptionsOf,
  languageIn,
  SITE_NAME,
  titleOf,
} from './frame-page.ts';

/** The route of oEmbed. */
export const OEMBED_ROUTE: Route = { path: '/oembed', access: 'data', answer: sendOembed };

/** Responds with a description of how to embed the page at `url` (oEmbed 1.0). */
async function sendOembed(context: RequestContext, parts: RouteParts): Promise<void> {
  const { config, fieldPolicy, additions } = parts;
  context.isErrorCacheable = false;
  const query = new URLSearchParams(context.target.query);
  if (!query.get('url')) {
    return sendError(context, 'invalid_source_id', { error: 'The request is malformed: url is missing' });
  }
  if ((query.get('format') || 'json') !== 'json') {
    // No error code of the API has this status.
    const body: ErrorBody = { success: false, error: 'This format is not available; use json' };
    const headers = ['Cache-Control', 'no-store', ...readableBy(context)];
    return sendText(context, 501, JSON_TYPE, JSON.stringify(body), headers);
  }
  const request = oembedRequestOf(query, parts);
  if (request === undefined) return sendError(context, 'not_found', { error: 'No page on this server has this url' });
  const lookup = await findSource(context, request.sourceId, parts);
  if (lookup === undefined) return;
  if (lookup.value.pulse === null) return sendError(context, 'pulse_not_found');
  const shown = additions.amend(publicAnswer(lookup.value, lookup.isEarlierVersion, fieldPolicy));
  const answer = oembedAnswer(request, shown, config);
  sendCached(context, new Representation(JSON.stringify(answer), JSON_TYPE), lookup, config);
}

/** An oEmbed consumer's request for a frame page, with a maximum size. */
interface OembedRequest {
  readonly sourceId: string;
  readonly options: FrameOptions;
  /** Whether the request names a layout. A request that names a layout always gets that layout. */
  readonly isVariantNamed: boolean;
  readonly maxWidthPx: number;
  readonly maxHeightPx: number;
}

/** Reads the request from `query`. Returns undefined if its `url` isn't a page on this server. */
function oembedRequestOf(
  query: URLSearchParams,
  { config: { publicUrl }, origins }: Pick<RouteParts, 'config' | 'origins'>,
): OembedRequest | undefined {
  const page = query.get('url') ?? '';
  if (!URL.canParse(page)) return undefined;
  const { origin, pathname, searchParams, username, password } = new URL(page);
  const before = new URL(`${publicUrl}/embed/`).pathname;
  const sourceId = decodedSegment(pathname.slice(before.length));
  if (!origins.own.includes(origin) || !pathname.startsWith(before)) return undefined;
  if (sourceId === undefined || !isSourceId(sourceId)) return undefined;
  if (username !== '' || password !== '') return undefined;
  const options = frameOptionsOf(searchParams);
  return {
    sourceId,
    options,
    isVariantNamed: options.variant === searchParams.get('variant'),
    maxWidthPx: pixelsIn(query.get('maxwidth')),
    maxHeightPx: pixelsIn(query.get('maxheight')),
  };
}

/** Reads a maximum from a parameter. Anything except a positive whole number means no maximum. */
function pixelsIn(text: string | null): number {
  return text !== null && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Infinity;
}

/** The response to a consumer: a frame of the type "rich" (oEmbed 1.0, 2.3.4.4). */
function oembedAnswer(request: OembedRequest, { pulse, source }: PulseAnswer, config: AppConfig): object {
  const { publicUrl } = config;
  const { sourceId, options } = request;
  const title = titleOf({ pulse, source });
  const { variant, width, height } = sizeFor(request);
  const frame = {
    sourceId,
    baseUrl: publicUrl,
    variant,
    theme: options.look.theme,
    language: languageIn(options),
    look: options.look.query,
  };
  const iframe = snippetFor({ ...frame, as: 'frame', name: title, width, height });
  return {
    version: '1.0',
    type: 'rich',
    title,
    provider_name: SITE_NAME,
    provider_url: publicUrl,
    cache_age: freshSecondsOf(config),
    ...(pulse.imageUrl !== null &&
      hasRoomForThumbnail(request) && { thumbnail_url: pulse.imageUrl, ...THUMBNAIL_SIZE }),
    html: `${quoteOf(framePageUrl(frame), title, pulse)}\n${iframe.trim()}`,
    width,
    height,
  };
}

/**
 * The fallback text if the frame isn't shown: name, label, finding, and link. WordPress keeps a `<blockquote>` before
 * the `<iframe>`. WordPress removes all tags in the quote except links, and hides the quote once the frame has reported
 * its height.
 */
function quoteOf(url: string, title: string, pulse: PublicPulse): string {
  const finding = descriptionOf(pulse);
  const lines = [
    `<p>${escapeHtml(title)}</p>`,
    `<p>${AI_GENERATED}</p>`,
    ...(finding === '' ? [] : [`<p ai-disclosure="ai-autonomous">${escapeHtml(finding)}</p>`]),
    `<p><a href="${escapeHtml(url)}">Show the chart</a></p>`,
  ];
  return `<blockquote>${lines.join(' ')}</blockquote>`;
}

/** The size of a chart. oEmbed requires a size. Consumers scale charts of other sizes. */
const THUMBNAIL_SIZE = { thumbnail_width: 1_600, thumbnail_height: 900 };

/** Returns whether a thumbnail fits into the requested size, as oEmbed requires (oEmbed 1.0, 2.3.4). */
function hasRoomForThumbnail({ maxWidthPx, maxHeightPx }: OembedRequest): boolean {
  return THUMBNAIL_SIZE.thumbnail_width <= maxWidthPx && THUMBNAIL_SIZE.thumbnail_height <= maxHeightPx;
}

/**
 * Chooses a layout and size within the requested maximum. If a card is too high, the layout is compact. If even the
 * compact layout is too high, the page is cut off.
 */
function sizeFor({ options, isVariantNamed, maxWidthPx, maxHeightPx }: OembedRequest) {
  const width = Math.min(FRAME_WIDTH_PX, maxWidthPx);
  const wanted = frameHeightPx(width, options.variant);
  const variant = wanted > maxHeightPx && !isVariantNamed ? 'compact' : options.variant;
  return { variant, width, height: Math.min(frameHeightPx(width, variant), maxHeightPx) };
}
