import type { ReadPulse } from '@pulse-card/contract';
import type { Config } from '../../config.ts';
import type { Hit, Lookup, Pulses, SourceSnapshot } from '../../pulses/pulses.ts';
import { freshSecondsOf } from '../cache-scope.ts';
import { ApiError } from '../errors.ts';
import type { PulseResponse, SourceHandler } from '../locals.ts';
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
    const hit = await findPulse(req.params.sourceId, res, parts, freshSecondsOf(parts.config));
    sendCached(req, res, pulseBody(hit, parts), hit, parts.config);
  };
}

/** Looks up a source's pulse for a reader. Throws if there is none. If the error is a 404, caches may store it. */
export async function findPulse(
  sourceId: string,
  { locals }: PulseResponse,
  parts: DataParts,
  maxAgeSeconds = 0,
): Promise<Hit<SnapshotWithPulse>> {
  locals.record.sourceIds = [sourceId];
  return foundPulse(await parts.pulses.read(sourceId, locals.sources, locals.viewer), parts, maxAgeSeconds);
}

/** The pulse in a lookup's result. Throws if there is none. */
export function foundPulse(
  lookup: Lookup<SourceSnapshot>,
  { fields }: DataParts,
  maxAgeSeconds = 0,
): Hit<SnapshotWithPulse> {
  if (!lookup.ok) throw new ApiError(lookup.code, { ...lookup, maxAgeSeconds });
  const { value } = lookup;
  if (!hasPulse(value)) throw new ApiError('pulse_not_found', { maxAgeSeconds, source: fields.sourceFacts(value) });
  return { ...lookup, value };
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
