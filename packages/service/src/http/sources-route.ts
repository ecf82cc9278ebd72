import type { SourcesBody } from '@pulse-card/contract';
import type { Request } from 'express';
import type { Database } from '../database/open-database.ts';
import type { Site } from '../site.ts';
import { listSources } from '../sources/list-sources.ts';
import type { ServiceResponse } from './locals.ts';
import { metaOf } from './meta.ts';
import { holderOf } from './require-scope.ts';

/** `GET /v1/sources`: the sources of the key's account. */
export function sourcesRoute(db: Database, site: Site) {
  return async (_req: Request, res: ServiceResponse): Promise<void> => {
    const { account } = holderOf(res);
    const sources = await listSources(db, account.id, site.sourceUrl);
    const body: SourcesBody = { meta: metaOf(res), sources };
    res.json(body);
  };
}
