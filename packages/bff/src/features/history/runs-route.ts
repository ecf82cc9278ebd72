import type { PublicRun, ReadPulse, RunsAnswer } from '@pulse-card/contract';
import { ApiError } from '../../http/errors.ts';
import type { SourceHandler } from '../../http/locals.ts';
import { metaOf } from '../../http/public-fields.ts';
import { type DataParts, foundPulse } from '../../http/routes/pulse.ts';
import { JSON_TYPE, sendCached } from '../../http/send.ts';
import type { SourceSnapshot } from '../../pulses/pulses.ts';
import type { HistoryStore } from './history-store.ts';
import type { KeptRun } from './source-history.ts';

export interface RunsParts extends DataParts {
  readonly store: HistoryStore;
  /** Whether earlier runs are served (`PULSE_HISTORY`). */
  readonly isOn: boolean;
}

/** `GET /v1/sources/:sourceId/runs`: the runs that this BFF has seen, newest first. It makes no call to the service. */
export function sendRuns(parts: RunsParts): SourceHandler {
  const { pulses, fields, bodies, config, store, isOn } = parts;
  return (req, res) => {
    if (!isOn) throw new ApiError('not_found', { error: 'Earlier runs aren’t kept on this server: set PULSE_HISTORY' });
    const { sourceId } = req.params;
    res.locals.record.sourceIds = [sourceId];
    const { value, isStale, ...hit } = foundPulse(pulses.cached(sourceId, res.locals.sources), parts);
    const history = store.get(sourceId);
    const dependencies = [value.pulse, value.requestedAtMs, isStale, history, fields.revision];
    const body = bodies.body(`runs ${sourceId}`, dependencies, JSON_TYPE, () => {
      const runs = (history?.runs ?? []).map((run) => publicRun(run, fields.pulse(pulseOf(run, value))));
      const meta = { ...metaOf(value.requestedAtMs, isStale), complete: false } as const;
      return JSON.stringify({ meta, runs } satisfies RunsAnswer);
    });
    sendCached(req, res, body, { ...hit, isStale }, config);
  };
}

/** A kept run in the form of a pulse of its source. Its analysis isn't kept. */
export function pulseOf(run: KeptRun, { sourceId, pulse, source }: SourceSnapshot): ReadPulse {
  const { jobRunId, completedAt, aiSummaryShort, imageUrl } = run;
  return {
    jobRunId,
    sourceId,
    sourceName: pulse?.sourceName ?? source?.name ?? null,
    status: 'SUCCESS',
    completedAt,
    imageUrl,
    aiSummaryShort,
    aiSummaryLong: null,
    deliveryLink: null,
    organizationId: null,
    organizationName: null,
    organizationSlug: null,
  };
}

function publicRun({ firstSeenAt }: KeptRun, pulse: Omit<PublicRun, 'firstSeenAt'>): PublicRun {
  const { jobRunId, completedAt, aiSummaryShort, imageUrl, withheld } = pulse;
  return { jobRunId, completedAt, firstSeenAt, aiSummaryShort, imageUrl, ...(withheld && { withheld }) };
}
