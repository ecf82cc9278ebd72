import type { Meta } from '@pulse-card/contract';
import type { ServiceResponse } from './locals.ts';
import { holderOf } from './require-scope.ts';

/** What every successful data answer says of its key's account and of its time (spec, "Response envelope meta"). */
export function metaOf(res: ServiceResponse): Meta {
  const { id, email } = holderOf(res).account;
  return { account: { id, email }, requestedAt: new Date(res.locals.requestedAtMs).toISOString() };
}
