import { isSourceId, type ReadPulse } from '@pulse-card/contract';
import type { Hit, Lookup, Miss, Pulses, SourceSnapshot } from '../../pulses/pulses.ts';
import { freshSecondsOf } from '../cache-scope.ts';
import { ApiError } from '../errors.ts';
import type { PulseRequest, PulseResponse, SourceHandler } from '../locals.ts';
import type { PublicFields, SnapshotWithPulse } from '../public-fields.ts';
import { type Bodies, type Body, type Freshness, JSON_TYPE, sendCached } from '../send.ts';

/** The parts that all data routes share. */
export interface DataParts {
  readonly pulses: Pulses;
  readonly fields: PublicFields;
  readonly bodies: Bodies;
  readonly config: Freshness & { readonly access: 'public' | 'token' };
  /** `pulseOfRun`: a stored earlier run. */
  readonly history: { pulseOfRun(snapshot: SourceSnapshot, run: string): ReadPulse | undefined };
}

/** `GET /v1/sources/:sourceId/pulse`. */
export function onePulse(parts: DataParts): SourceHandler {
  return async (req, res) => {
    const lookup = await lookUp(req, res, parts);
    const hit = foundPulse(lookup, parts, { maxAgeSeconds: freshSecondsOf(parts.config) });
    sendCached(req, res, pulseBody(hit, parts), hit, parts.config);
  };
}

/** Looks up the source in the path and adds it to the record. */
export function lookUp({ params }: PulseRequest, { locals }: PulseResponse, { pulses }: DataParts) {
  if (isSourceId(params.sourceId)) locals.record.sourceIds = [params.sourceId];
  return pulses.read(params.sourceId, locals.sources, locals.viewer);
}

/** The pulse in a lookup's result. If there is none, throws an error that caches may store for `maxAgeSeconds`. */
export function foundPulse(
  lookup: Lookup<SourceSnapshot>,
  { config, fields }: DataParts,
  { maxAgeSeconds = 0 } = {},
): Hit<SnapshotWithPulse> {
  if (!lookup.ok) throw missError(lookup, config.access, maxAgeSeconds);
  const { value } = lookup;
  if (!hasPulse(value)) throw new ApiError('pulse_not_found', { maxAgeSeconds, source: fields.sourceFacts(value) });
  return { ...lookup, value };
}

/**
 * The error for a failed lookup. Caches may store the 404 for an unknown source, or for a source without a pulse, for
 * up to `maxAgeSeconds`.
 */
export function missError({ code, retryInMs }: Miss, access: 'public' | 'token', maxAgeSeconds = 0): ApiError {
  if (code === 'token_forbidden') return new ApiError(code, { error: forbiddenText(access), detail: 'source' });
  return new ApiError(
    code,
    code === 'source_unknown' || code === 'pulse_not_found' ? { maxAgeSeconds } : { retryInMs },
  );
}

/** Whether a snapshot has a pulse. */
export function hasPulse(snapshot: SourceSnapshot): snapshot is SnapshotWithPulse {
  return snapshot.pulse !== null;
}

/** Without tokens, only the application can have denied access to a source. */
export function forbiddenText(access: 'public' | 'token'): string {
  return access === 'token' ? 'The token doesn’t allow this' : 'This reader isn’t allowed to see this source';
}

/** The body for one source that has a pulse. */
export function pulseBody(hit: Hit<SnapshotWithPulse>, { bodies, fields }: DataParts): Body {
  const make = () => JSON.stringify(fields.answer(hit.value, hit.isStale));
  return bodies.body(hit.value.sourceId, dependenciesOf(hit), JSON_TYPE, make);
}

/** Everything that the body of a pulse response depends on, except the request. */
export function dependenciesOf({ value, isStale }: Hit<SnapshotWithPulse>): readonly unknown[] {
  return [value.pulse, value.source, value.requestedAtMs, isStale];
}
