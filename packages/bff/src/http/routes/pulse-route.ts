import { isSourceId } from '@pulse-card/contract';
import type { LookupResult, PulseLookups, SourceSnapshot } from '../../cache/port.ts';
import { sendCached } from '../freshness-headers.ts';
import type { FreshnessPolicy } from '../../cache/freshness.ts';
import { decodedSegment, type RequestContext } from '../request-context.ts';
import type { PulseResponseCache } from '../response-cache.ts';
import { isPermitted } from '../token-guard.ts';
import { sendError } from '../send-error.ts';

/** The route of one source's latest pulse, as log and metrics name it. */
export const PULSE_ROUTE = '/v1/sources/:sourceId/pulse';

/** What the routes of pulses need. */
export interface PulseRouteOptions {
  readonly cache: PulseLookups;
  readonly responses: PulseResponseCache;
  readonly freshnessPolicy: FreshnessPolicy;
}

/** Answers with the latest pulse of the source that `segment` of the path names: at once where it is known. */
export function sendPulse(context: RequestContext, segment: string, parts: PulseRouteOptions): void | Promise<void> {
  context.route = PULSE_ROUTE;
  const sourceId = decodedSegment(segment);
  if (!isSourceId(sourceId)) return sendError(context, 'invalid_source_id');
  context.sourceIds = [sourceId];
  if (!isPermitted(context, sourceId)) return undefined;
  const lookup = parts.cache.getIfCached(sourceId);
  if (lookup !== undefined) return sendLookup(context, lookup, parts);
  return parts.cache.getOrFetch(sourceId).then((read) => sendLookup(context, read, parts));
}

function sendLookup(
  context: RequestContext,
  lookup: LookupResult<SourceSnapshot>,
  { responses, freshnessPolicy }: PulseRouteOptions,
): void {
  if (!lookup.ok) return sendError(context, lookup.code, { retryAfterSeconds: lookup.retryAfterSeconds });
  const { value: known, stale, ageMs, facts } = lookup;
  if (known.pulse === null) return sendError(context, 'pulse_not_found', { maxAgeSeconds: maxAgeOf(freshnessPolicy) });
  sendCached(context, responses.answer(known, stale), { ageMs, stale, facts }, freshnessPolicy);
}

/** A first run must not stay unseen for longer than a new one. */
function maxAgeOf({ freshForMs }: FreshnessPolicy): number {
  return Math.max(1, Math.floor(freshForMs / 1_000));
}
