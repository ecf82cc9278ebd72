import { isSourceId } from '@pulse-card/contract';
import type { Card, PulseCache, Reading } from '../cache/port.ts';
import { sendKnown } from './answer-freshness.ts';
import { decodedSegment } from './decoded-segment.ts';
import type { Exchange } from './exchange.ts';
import type { Lifetimes } from './freshness-headers.ts';
import type { PulseBodies } from './pulse-bodies.ts';
import { isPermitted } from './refuse-token.ts';
import { sendError } from './send-error.ts';

/** The route of one source's latest pulse, as log and metrics name it. */
export const PULSE_ROUTE = '/v1/sources/:sourceId/pulse';

/** What the routes of pulses need. */
export interface PulseRouteParts {
  readonly cache: PulseCache;
  readonly bodies: PulseBodies;
  readonly lifetimes: Lifetimes;
}

/** Answers with the latest pulse of the source that `segment` of the path names: at once where it is known. */
export function answerPulse(exchange: Exchange, segment: string, parts: PulseRouteParts): void | Promise<void> {
  exchange.route = PULSE_ROUTE;
  const sourceId = decodedSegment(segment);
  if (!isSourceId(sourceId)) return sendError(exchange, 'invalid_source_id');
  if (!isPermitted(exchange, sourceId)) return undefined;
  const reading = parts.cache.peekCard(sourceId);
  if (reading !== undefined) return sendReading(exchange, reading, parts);
  return parts.cache.readCard(sourceId).then((read) => sendReading(exchange, read, parts));
}

function sendReading(exchange: Exchange, reading: Reading<Card>, { bodies, lifetimes }: PulseRouteParts): void {
  if (!reading.ok) return sendError(exchange, reading.code, { retryAfterSeconds: reading.retryAfterSeconds });
  const { known, stale, ageMs, facts } = reading;
  if (known.pulse === null) return sendError(exchange, 'pulse_not_found', { maxAgeSeconds: maxAgeOf(lifetimes) });
  sendKnown(exchange, bodies.answer(known, stale), { ageMs, stale, facts }, lifetimes);
}

/** A first run must not stay unseen for longer than a new one. */
function maxAgeOf({ freshForMs }: Lifetimes): number {
  return Math.max(1, Math.floor(freshForMs / 1_000));
}
