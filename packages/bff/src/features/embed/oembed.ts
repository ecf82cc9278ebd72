import { unescape } from 'node:querystring';
import { isSourceId, type PublicPulse, type PulseAnswer } from '@pulse-card/contract';
import { escapeHtml } from '@pulse-card/widget/server';
import { FRAME_WIDTH_PX, frameHeightPx, framePageUrl, snippetFor } from '@pulse-card/widget/snippet';
import type { Config } from '../../config.ts';
import { freshSecondsOf } from '../../http/cache-scope.ts';
import { ApiError } from '../../http/errors.ts';
import { type Handler, queryOf } from '../../http/locals.ts';
import type { OriginPolicy } from '../../http/origins.ts';
import { type DataParts, dependenciesOf, findPulse } from '../../http/routes/pulse.ts';
import { JSON_TYPE, sendCached } from '../../http/send.ts';
import { AI_GENERATED, bodyNameOf, descriptionOf, frameOf, frameOptionsOf, SITE_NAME, titleOf } from './frame-page.ts';

type OembedParts = DataParts & { readonly origins: OriginPolicy };

/** `GET /oembed?url=` describes how to embed the page at `url` (oEmbed 1.0). */
export function oembed(parts: OembedParts): Handler {
  const { bodies, config, fields } = parts;
  return async (req, res) => {
    const query = queryOf(req);
    if (!query.get('url')) throw new ApiError('bad_request', { error: 'The request is malformed: url is missing' });
    // oEmbed requires this status (1.0, 2.3.6), which no error code uses.
    if ((query.get('format') || 'json') !== 'json')
      throw new ApiError('bad_request', { error: 'This format isn’t available: use json', status: 501 });
    const request = oembedRequestOf(query, parts);
    if (request === undefined) throw new ApiError('not_found', { error: 'No page on this server has this URL' });
    const hit = await findPulse(request.sourceId, res, parts);
    const make = () => JSON.stringify(oembedAnswer(request, fields.answer(hit.value, hit.isStale), config));
    sendCached(req, res, bodies.body(nameOf(request), dependenciesOf(hit), JSON_TYPE, make), hit, config);
  };
}

/** An oEmbed consumer's request for a frame page, with a maximum size. */
type OembedRequest = NonNullable<ReturnType<typeof oembedRequestOf>>;

/** The response's name in the cache. Anyone can invent any number of sizes, so a response for a size has no name. */
function nameOf({ sourceId, options, maxWidthPx, maxHeightPx }: OembedRequest): string | undefined {
  return Math.min(maxWidthPx, maxHeightPx) < Infinity ? undefined : bodyNameOf('oembed', sourceId, options);
}

/** Reads the request. Undefined if its `url` isn't a page on this server. */
function oembedRequestOf(query: URLSearchParams, { config, origins }: OembedParts) {
  const { origin, pathname, searchParams, username, password } = URL.parse(query.get('url') ?? '') ?? new URL('data:,');
  const before = new URL(`${config.publicUrl}/embed/`).pathname;
  if (!origins.own.includes(origin) || !pathname.startsWith(before) || username + password !== '') return undefined;
  const sourceId = unescape(pathname.slice(before.length));
  if (!isSourceId(sourceId)) return undefined;
  const [maxWidthPx, maxHeightPx] = [pixelsIn(query.get('maxwidth')), pixelsIn(query.get('maxheight'))];
  return { sourceId, options: frameOptionsOf(searchParams), maxWidthPx, maxHeightPx };
}

/** A maximum size. Anything other than a positive integer means that there is none. */
function pixelsIn(text: string | null): number {
  return text !== null && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Infinity;
}

/** The size of a chart, which oEmbed requires. Consumers scale charts of other sizes. */
const THUMBNAIL_SIZE = { thumbnail_width: 1_600, thumbnail_height: 900 };

/** The response: a frame with the type "rich" (oEmbed 1.0, 2.3.4.4). */
function oembedAnswer(request: OembedRequest, { pulse, source }: PulseAnswer, config: Config): object {
  const { sourceId, options, maxWidthPx, maxHeightPx } = request;
  const { publicUrl: baseUrl } = config;
  const title = titleOf(pulse.sourceName, source.name);
  const { variant, width, height } = sizeFor(request);
  const frame = frameOf(sourceId, baseUrl, { ...options, variant });
  const iframe = snippetFor({ ...frame, as: 'frame', name: title, width, height });
  // A thumbnail must fit into the requested size (oEmbed 1.0, 2.3.4).
  const hasRoom = THUMBNAIL_SIZE.thumbnail_width <= maxWidthPx && THUMBNAIL_SIZE.thumbnail_height <= maxHeightPx;
  return {
    version: '1.0',
    type: 'rich',
    title,
    provider_name: SITE_NAME,
    provider_url: baseUrl,
    cache_age: freshSecondsOf(config),
    ...(pulse.imageUrl !== null && hasRoom && { thumbnail_url: pulse.imageUrl, ...THUMBNAIL_SIZE }),
    html: `${quoteOf(framePageUrl(frame), title, pulse)}\n${iframe.trim()}`,
    width,
    height,
  };
}

/**
 * The text that is shown without the frame: name, label, finding, and link. WordPress keeps a `<blockquote>` before the
 * `<iframe>`, removes all tags in it except links, and hides it once the frame has reported its height.
 */
function quoteOf(url: string, title: string, pulse: PublicPulse): string {
  const finding = descriptionOf(pulse);
  const said = finding && `<p ai-disclosure="ai-autonomous">${escapeHtml(finding)}</p> `;
  const link = `<p><a href="${escapeHtml(url)}">Show the chart</a></p>`;
  return `<blockquote><p>${escapeHtml(title)}</p> <p>${AI_GENERATED}</p> ${said}${link}</blockquote>`;
}

/** A layout and size within the requested maximum. If a card would be too tall, the layout is compact. */
function sizeFor({ options, maxWidthPx, maxHeightPx }: OembedRequest) {
  const width = Math.min(FRAME_WIDTH_PX, maxWidthPx);
  const wanted = frameHeightPx(width, options.variant);
  const variant = wanted > maxHeightPx && options.variant === 'card' ? 'compact' : options.variant;
  return { variant, width, height: Math.min(frameHeightPx(width, variant), maxHeightPx) };
}
