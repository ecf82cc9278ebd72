import { BATCH_SIZE, isSourceId } from '@pulse-card/contract';
import type { PulseCache } from '../../cache/port.ts';
import type { SseRefusal } from '../../sse/sse-hub.ts';
import type { RequestContext } from '../context.ts';
import { idsIn, refuseCount } from './pulses-route.ts';
import { writeHead } from '../response-headers.ts';
import type { RouteParts } from '../route.ts';
import { sendError, sendSourceForbidden } from '../respond.ts';

/** The route of new pulses as they come (HTML standard, "Server-sent events"). */
export const EVENTS_ROUTE = '/v1/events';

/** `no-transform` keeps a `compression()` in front from holding events back; the last is for nginx. */
const STREAM_HEADERS = [
  ['Content-Type', 'text/event-stream'],
  ['Cache-Control', 'no-store, no-transform'],
  ['X-Accel-Buffering', 'no'],
].flat();

/**
 * Opens a stream of the new pulses of all ids that the query names; those that nobody knows, or that the reader may not see, stay
 * silent. It ends with the reader's access grant, and soon after that is revoked.
 */
export async function openEventStream(context: RequestContext, parts: RouteParts): Promise<void> {
  const { cache, live, clientKeyOfRequest, clock } = parts;
  const requested = idsIn(context.query);
  if (requested.length === 0 || requested.length > BATCH_SIZE) return refuseCount(context, requested.length);
  const ids = [...new Set(requested.filter((id) => isSourceId(id)))].sort();
  if (ids.length === 0) return sendError(context, 'invalid_source_id');
  const permitted = ids.filter((id) => context.accessGrant.allowsSource(id));
  if (permitted.length === 0) return sendSourceForbidden(context);
  const failure = await failureOfAll(permitted, cache);
  if (failure) return sendError(context, failure.code, { retryAfterSeconds: failure.retryAfterSeconds });
  const { request, response } = context;
  const client = clientKeyOfRequest(request);
  if (response.closed || request.socket.destroyed) return;
  const refusal = live.refusalOf(client);
  // A pipelined request has no socket yet, so its stream could not be closed.
  if (refusal || response.socket === null) return refuse(context, refusal);
  if (context.isHead) return context.send(200, STREAM_HEADERS);
  writeHead(response, 200, [...context.headers, ...STREAM_HEADERS]);
  context.finish(200);
  live.join({
    response,
    client,
    ids: permitted,
    lastEventId: request.headers['last-event-id'] as string | undefined,
    lastsMs: context.accessGrant.endsAtMs - clock.wallNow(),
    holds: context.accessGrant.holds,
  });
}

/** Why none of `ids` can be followed; undefined where one of them is known. */
async function failureOfAll(ids: readonly string[], cache: PulseCache) {
  if (ids.some((id) => cache.isKnown(id))) return undefined;
  const lookups = await Promise.all(ids.map((id) => cache.getOrFetch(id)));
  if (ids.some((id) => cache.isKnown(id))) return undefined;
  return lookups.find((lookup) => !lookup.ok) ?? ({ code: 'source_unknown', retryAfterSeconds: undefined } as const);
}

function refuse(context: RequestContext, refusal: SseRefusal | undefined): void {
  const retryAfterSeconds = refusal?.retryAfterSeconds;
  if (refusal?.why === 'client' || refusal?.why === 'total') {
    const error = 'Too many live streams are open: try again later';
    return sendError(context, 'rate_limited', { error, retryAfterSeconds });
  }
  const why = refusal === undefined ? 'the request was sent behind another one' : 'this server is about to stop';
  const error = `Live updates are unavailable: ${why}, try again later`;
  return sendError(context, 'upstream_unavailable', { error, retryAfterSeconds });
}
