import { randomBytes } from 'node:crypto';
import type { CallLedger } from '../budget/call-ledger.ts';
import type { SharedAnswers } from '../cache/shared-answers.ts';
import type { Clock } from '../clock.ts';
import { tellCrewNews } from './crew-news.ts';
import type { CrewStatus } from './crew-status.ts';
import type { RedisAddress } from './redis-address.ts';
import { RedisAnswers } from './redis-answers.ts';
import { RedisLedger } from './redis-ledger.ts';
import { RedisLink } from './redis-link.ts';
import { type SecretSource, Tenant } from './tenant.ts';

export interface CrewOptions {
  readonly clock: Clock;
  readonly warn: (sentence: string) => unknown;
  readonly baseUrl: string;
  /** The key of the upstream, as it is now. */
  readonly key: { current(): SecretSource };
  readonly rateLimit: number;
  readonly rateWindowMs: number;
  readonly rateReserve: number;
  readonly upstreamTimeoutMs: number;
  readonly freshForMs: number;
  readonly staleForMs: number;
  /** How long Redis may take to answer, in ms. @default 80 */
  readonly redisAnswersWithinMs?: number | undefined;
  /** When the process began, on the clock. @default now */
  readonly startedAt?: number;
  /** Whether this instance can be the one that refreshes by plan. @default true */
  readonly canLead?: boolean;
}

/** All instances that share a Redis and a key: one budget, one set of answers. */
export interface Crew {
  readonly ledger: CallLedger;
  readonly shared: SharedAnswers;
  status(): CrewStatus;
  /** Says good-bye to the others. */
  close(): Promise<void>;
}

/** Joins the instances at `address`; where Redis is not there, it is tried again for as long as this instance runs. */
export async function openCrew(address: RedisAddress, options: CrewOptions): Promise<Crew> {
  const { clock, freshForMs, staleForMs, warn } = options;
  const instance = randomBytes(9).toString('base64url');
  const link = new RedisLink({ address, clock, warn, answerWithinMs: options.redisAnswersWithinMs });
  const tenant = tenantOf(options);
  const ledger = new RedisLedger({
    link,
    clock,
    instance,
    tenant,
    limit: options.rateLimit,
    windowMs: options.rateWindowMs,
    reserve: options.rateReserve,
    callMs: options.upstreamTimeoutMs,
    ...(options.startedAt !== undefined && { startedAt: options.startedAt }),
    ...(options.canLead !== undefined && { canLead: options.canLead }),
  });
  const keepForMs = Math.max(1_000, freshForMs + staleForMs);
  const shared = new RedisAnswers({ link, ledger, clock, instance, tenant, keepForMs, warn });
  await link.open();
  await ledger.open();
  const endNews = tellCrewNews(clock, () => ledger.crew(), options.warn);
  return {
    ledger,
    shared,
    status: () => ledger.crew(),
    close: async () => {
      endNews();
      await ledger.close();
      link.close();
    },
  };
}

/** The tenant of the key in use; made anew only when the key is another. */
function tenantOf({ key, baseUrl }: CrewOptions): () => Tenant {
  let [secret, tenant]: [SecretSource?, Tenant?] = [];
  return () => {
    const current = key.current();
    if (tenant === undefined || current !== secret) [secret, tenant] = [current, new Tenant(current, baseUrl)];
    return tenant;
  };
}
