import { BATCH_SIZE, isSourceId } from '@pulse-card/contract';
import type { ClientNamer } from '../access/client-address.ts';
import type { PulseCache } from '../cache/port.ts';
import type { LiveRefusal, LiveStreams } from '../live/live-streams.ts';
import { pairsOf } from './cross-origin.ts';
import type { Exchange } from './exchange.ts';
import { idsIn, refuseCount } from './pulses-route.ts';
import { refuseToken } from './refuse-token.ts';
import { writeHead } from './response-headers.ts';
import { sendError } from './send-error.ts';

/** The route of new pulses as they come (HTML standard, "Server-sent events"). */
export const EVENTS_ROUTE = '/v1/events';

/** What the route of live streams needs. */
export interface EventsRouteParts {
  readonly cache: PulseCache;
  readonly live: LiveStreams;
  readonly nameOfClient: ClientNamer;
  /** Milliseconds since the Unix epoch. */
  readonly wallNow: () => number;
}

/** `no-transform` keeps a `compression()` in front from holding events back; the last is for nginx. */
const STREAM_HEADERS = pairsOf({
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
});

/**
 * Opens a stream of the new pulses of all ids that the query names; those that nobody knows, or that the reader may not see, stay
 * silent. It lasts no longer than the reader's permit, and ends soon after that was taken back.
 */
export async function answerEvents(exchange: Exchange, parts: EventsRouteParts): Promise<void> {
  const { cache, live, nameOfClient, wallNow } = parts;
  const asked = idsIn(exchange.query);
  if (asked.length === 0 || asked.length > BATCH_SIZE) return refuseCount(exchange, asked.length);
  const ids = [...new Set(asked.filter((id) => isSourceId(id)))].sort();
  if (ids.length === 0) return sendError(exchange, 'invalid_source_id');
  const permitted = ids.filter((id) => exchange.permit.covers(id));
  if (permitted.length === 0) return void refuseToken(exchange, 'token_forbidden', 'source');
  const failure = await failureOfAll(permitted, cache);
  if (failure) return sendError(exchange, failure.code, { retryAfterSeconds: failure.retryAfterSeconds });
  const { request, response } = exchange;
  const client = nameOfClient(request);
  if (response.closed || request.socket.destroyed) return;
  const refusal = live.refusalOf(client);
  // A request that was sent behind another on the same connection would be a stream that nobody can end.
  if (refusal || response.socket === null) return refuse(exchange, refusal);
  if (exchange.isHead) return exchange.send(200, STREAM_HEADERS);
  writeHead(response, 200, [...exchange.headers, ...STREAM_HEADERS]);
  exchange.answered(200);
  live.join({
    response,
    client,
    ids: permitted,
    lastEventId: request.headers['last-event-id'] as string | undefined,
    lastsMs: exchange.permit.endsAtMs - wallNow(),
    holds: exchange.permit.holds,
  });
}

/** Why none of `ids` can be followed; undefined where one of them is known. */
async function failureOfAll(ids: readonly string[], cache: PulseCache) {
  if (ids.some((id) => cache.isKnown(id))) return undefined;
  const readings = await Promise.all(ids.map((id) => cache.readCard(id)));
  if (ids.some((id) => cache.isKnown(id))) return undefined;
  return readings.find((reading) => !reading.ok) ?? ({ code: 'source_unknown', retryAfterSeconds: undefined } as const);
}

function refuse(exchange: Exchange, refusal: LiveRefusal | undefined): void {
  const retryAfterSeconds = refusal?.retryAfterSeconds;
  if (refusal?.why === 'client' || refusal?.why === 'total') {
    const error = 'Too many live streams are open: try again later';
    return sendError(exchange, 'rate_limited', { error, retryAfterSeconds });
  }
  const why = refusal === undefined ? 'the request was sent behind another one' : 'this server is about to stop';
  const error = `Live updates are unavailable: ${why}, try again later`;
  return sendError(exchange, 'upstream_unavailable', { error, retryAfterSeconds });
}
