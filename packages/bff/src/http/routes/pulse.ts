import { isSourceId, type ReadPulse } from '@pulse-card/contract';
import type { Config } from '../../config.ts';
import type { Hit, Lookup, Miss, Pulses, SourceSnapshot } from '../../pulses/pulses.ts';
import { freshSecondsOf } from '../cache-scope.ts';
import { ApiError } from '../errors.ts';
import type { PulseRequest, PulseResponse, SourceHandler } from '../locals.ts';
import type { PublicFields, SnapshotWithPulse } from '../public-fields.ts';
import { type Bodies, type Body, JSON_TYPE, sendCached } from '../send.ts';

/** The parts that all data routes share. */
export interface DataParts {
  readonly pulses: Pulses;
  readonly fields: PublicFields;
  readonly bodies: Bodies;
  readonly config: Config;
  /** `pulseOfRun`: a stored earlier run. */
  readonly history: { pulseOfRun(snapshot: SourceSnapshot, run: string): ReadPulse | undefined };
}

/** `GET /v1/sources/:sourceId/pulse`. */
export function onePulse(parts: DataParts): SourceHandler {
  return async (req, res) => {
    const lookup = await lookUp(req, res, parts);
    const hit = foundPulse(lookup, parts, freshSecondsOf(parts.config));
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
  { fields }: DataParts,
  maxAgeSeconds = 0,
): Hit<SnapshotWithPulse> {
  if (!lookup.ok) throw missError(lookup, maxAgeSeconds);
  const { value } = lookup;
  if (!hasPulse(value)) throw new ApiError('pulse_not_found', { maxAgeSeconds, source: fields.sourceFacts(value) });
  return { ...lookup, value };
}

/** The error for a failed lookup. Caches may store the 404 for an unknown source for up to `maxAgeSeconds`. */
export function missError({ code, retryInMs }: Miss, maxAgeSeconds = 0): ApiError {
  return new ApiError(code, { retryInMs, maxAgeSeconds: code === 'source_unknown' ? maxAgeSeconds : 0 });
}

/** The pulse of `run`; without `run`, the latest one. Throws if the run isn't stored. */
export function pulseOfRun(
  { value }: Hit<SnapshotWithPulse>,
  run: string | undefined,
  { history, fields }: DataParts,
): ReadPulse {
  if (run === undefined || run === value.pulse.jobRunId) return value.pulse;
  const pulse = history.pulseOfRun(value, run);
  if (pulse) return pulse;
  throw new ApiError('not_found', { error: 'This run isn’t kept', source: fields.sourceFacts(value) });
}

/** Whether a snapshot has a pulse. */
export function hasPulse(snapshot: SourceSnapshot): snapshot is SnapshotWithPulse {
  return snapshot.pulse !== null;
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
