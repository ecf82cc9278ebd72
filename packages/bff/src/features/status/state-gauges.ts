import type { ClusterStatus } from '../../cache/peers.ts';
import type { Gauges } from '../../feature.ts';
import { badShare, type BffState, failingSources, isEvicting } from './bff-state.ts';

/** The metrics of a state. */
export function stateGauges(state: BffState): Gauges {
  const { key, sources, budget, hosts, outcomes, redis } = state;
  return {
    ready: ['1 while there is something to serve', Number(state.ready)],
    key_refused: ['1 while the service refuses the key', Number(key.state === 'refused')],
    sources: ['Known sources', sources.length],
    sources_fresh: [
      'Number of sources with a fresh answer',
      sources.filter(({ freshness }) => freshness === 'fresh').length,
    ],
    sources_failing: [
      'Number of sources in use for which every call has failed for 5 minutes while calls for other sources succeed',
      failingSources(state).length,
    ],
    list_rows_unreadable: ['Number of rows of the source list that cannot be read', state.unreadableRows],
    budget_limit: ['Number of calls that the key allows per window', budget.limit],
    budget_used: ['Number of calls that this BFF made in the window', budget.used],
    budget_left: ['Number of calls that may be made now', budget.left],
    budget_others: ['Number of calls that other users of the key made in the window', budget.others],
    budget_paused_seconds: ['Seconds until paused calls resume', budget.pausedForMs / 1_000],
    hosts_well: ['Hosts that answer', hosts.filter((host) => host.state === 'closed').length],
    readers_without_chart_ratio: [
      'Share of permitted chart requests in the last 5 minutes that got no chart, from 0 to 1',
      badShare(outcomes),
    ],
    ...(redis && redisGauges(redis)),
  };
}

function redisGauges(redis: ClusterStatus): Gauges {
  return {
    redis_joined: ['1 while the budget is shared over Redis', Number(redis.state === 'joined')],
    redis_lost_seconds: ['Seconds since the connection to Redis was lost', redis.lostForMs / 1_000],
    redis_evicting: ['1 while maxmemory-policy lets Redis drop values before they expire', Number(isEvicting(redis))],
    redis_own_share: ['Number of calls that this instance may make per window while Redis is lost', redis.share],
    redis_losses_total: ['Number of times that the connection to Redis was lost since startup', redis.losses],
  };
}
