import { badShare, failingSources } from './problems.ts';
import type { State } from './state.ts';

/**
 * Metrics that are read from the state, by name: each with its description and value. A metric is omitted while its
 * value is null.
 */
export function gaugesOf(state: State): Readonly<Record<string, readonly [help: string, value: number | null]>> {
  const { budget, hosts, sources, redis, keyFile, keyExpiry, alerts, stateDirFault } = state;
  const charts = state.refusedCharts.reduce((sum, host) => sum + host.charts, 0);
  const expiresAt = keyExpiry === null ? null : Date.parse(keyExpiry.day) / 1_000;
  const isUsable = Number(keyFile?.state === 'in_use' || keyFile?.state === 'untried');
  const isEvicting = ![undefined, null, 'noeviction'].includes(redis?.evictionPolicy);
  return {
    ready: ['1 while there is something to serve', Number(state.ready)],
    key_refused: ['1 while the service rejects the key', Number(state.key.state === 'refused')],
    key_expires_timestamp_seconds: ['When the key expires, as a Unix timestamp. Omitted if unknown', expiresAt],
    sources: ['Known sources', sources.length],
    sources_fresh: ['Sources with a fresh response', sources.filter((each) => each.freshness === 'fresh').length],
    sources_failing: [
      'Sources whose calls have failed for 5 minutes while others succeed',
      failingSources(state).length,
    ],
    list_rows_unreadable: ['Number of unreadable rows in the source list', state.unreadableRows],
    budget_limit: ['Number of calls that the key allows per window', budget.limit],
    budget_used: ['Number of calls that this BFF made in the window', budget.spent],
    budget_left: ['Number of calls that can be made now', budget.left],
    budget_others: ['Number of calls that other users of the key made in the window', budget.others],
    budget_paused_seconds: ['Seconds until paused calls resume', budget.pausedForMs / 1_000],
    hosts_well: ['Number of hosts that are responding', hosts.filter((host) => host.state === 'closed').length],
    readers_without_chart_ratio: [
      'Share of chart requests in the last 5 minutes that returned no chart',
      badShare(state.outcomes),
    ],
    charts_refused: ['Number of charts whose URL isn’t allowed, such as an http: URL', charts],
    alerts_failing: ['1 while the webhook accepts no messages', Number(alerts.failure !== null)],
    alerts_sent_total: ['Number of messages that the webhook has accepted', alerts.sent],
    log_lost: ['1 while log lines are lost, because standard output can’t be written', Number(state.logLost)],
    ...(keyFile && {
      key_file_usable: ['0 while the key file is missing, unreadable, or holds no key that works', isUsable],
      key_takeovers_total: ['Number of new keys in the key file that the service has accepted', keyFile.takenOver],
    }),
    ...(stateDirFault !== undefined && {
      state_dir_failing: ['1 while files can’t be written to PULSE_STATE_DIR', Number(stateDirFault !== null)],
    }),
    ...(redis && {
      redis_joined: ['1 while the budget is shared over Redis', Number(redis.state === 'joined')],
      redis_lost_seconds: ['Seconds since the connection to Redis was lost', redis.lostForMs / 1_000],
      redis_evicting: ['1 while maxmemory-policy lets Redis drop values before they expire', Number(isEvicting)],
      redis_own_share: [
        'Number of calls per window that this instance can make if it can’t share the limit',
        budget.capacity,
      ],
      redis_losses_total: ['Number of times that the connection to Redis has been lost since startup', redis.losses],
    }),
  };
}
