import type { PulseBody } from '@pulse-card/contract';
import type { Request } from 'express';
import type { Database } from '../database/open-database.ts';
import { latestPulse } from '../pulses/latest-pulse.ts';
import type { Site } from '../site.ts';
import type { ServiceResponse } from './locals.ts';
import { metaOf } from './meta.ts';
import { sendRefusal } from './refusal.ts';
import { holderOf } from './require-scope.ts';

/** `GET /v1/sources/{sourceId}/pulse`: the latest pulse of one source; one and the same 404 for every reason. */
export function pulseRoute(db: Database, site: Site) {
  return async (req: Request, res: ServiceResponse): Promise<void> => {
    const { account } = holderOf(res);
    const wanted = { accountId: account.id, sourceId: String(req.params['sourceId']) };
    const pulse = await latestPulse(db, wanted, site.chartUrl);
    if (pulse === undefined) return sendRefusal(res, 'noPulse');
    const body: PulseBody = { meta: metaOf(res), pulse };
    res.json(body);
  };
}
