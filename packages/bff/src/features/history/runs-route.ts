import type { RunsAnswer } from '@pulse-card/contract';
import { ApiError } from '../../http/errors.ts';
import type { SourceHandler } from '../../http/locals.ts';
import { metaOf } from '../../http/public-fields.ts';
import { type DataParts, foundPulse } from '../../http/routes/pulse.ts';
import { JSON_TYPE, sendCached } from '../../http/send.ts';
import type { History } from './history.ts';
import { pulseOf } from './source-history.ts';

/** `GET /v1/sources/:sourceId/runs`: the runs that this BFF has seen, newest first. It doesn't call the service. */
export function sendRuns(parts: DataParts & { readonly history: History }): SourceHandler {
  const { pulses, fields, bodies, config, history } = parts;
  return (req, res) => {
    if (config.history === 0)
      throw new ApiError('not_found', { error: 'Earlier runs aren’t stored on this server: set PULSE_HISTORY' });
    const { sourceId } = req.params;
    res.locals.record.sourceIds = [sourceId];
    const { value, isStale, ...hit } = foundPulse(pulses.cached(sourceId, res.locals.sources), parts);
    const kept = history.get(sourceId);
    const dependencies = [value.pulse, value.requestedAtMs, isStale, kept];
    const body = bodies.body(`runs ${sourceId}`, dependencies, JSON_TYPE, () => {
      const runs = (kept?.runs ?? []).map((run) => {
        const { jobRunId, completedAt, aiSummaryShort, imageUrl, withheld } = fields.pulse(pulseOf(run, value));
        const { firstSeenAt } = run;
        return { jobRunId, completedAt, firstSeenAt, aiSummaryShort, imageUrl, ...(withheld && { withheld }) };
      });
      const meta = { ...metaOf(value.requestedAtMs, isStale), complete: false } as const;
      return JSON.stringify({ meta, runs } satisfies RunsAnswer);
    });
    sendCached(req, res, body, { ...hit, isStale }, config);
  };
}
