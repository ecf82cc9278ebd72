import { badShare } from './problems.ts';
import { failingSources, type State } from './state.ts';

/** Metrics that are read from the state, by name: what each means, and its value. A metric is missing while it is null. */
export type Gauges = Readonly<Record<string, readonly [help: string, value: number | null]>>;

/** The metrics of a state. */
export function gaugesOf(state: State): Gauges {
  const { budget, hosts, sources, redis, keyFile, keyExpiry, alerts, refusedCharts, stateDirFault } = state;
  return {
    ready: ['1 while there is something to serve', Number(state.ready)],
    key_refused: ['1 while the service rejects the key', Number(state.key.state === 'refused')],
    key_expires_timestamp_seconds: [
      'When the key expires, in seconds since the Unix epoch. Missing if this is unknown',
      keyExpiry === null ? null : Date.parse(keyExpiry.day) / 1_000,
    ],
    sources: ['Known sources', sources.length],
    sources_fresh: [
      'Number of sources with a fresh response',
      sources.filter(({ freshness }) => freshness === 'fresh').length,
    ],
    sources_failing: [
      'Number of sources in use for which every call has failed for 5 minutes while calls for other sources succeed',
      failingSources(state).length,
    ],
    list_rows_unreadable: ['Number of rows of the source list that can’t be read', state.unreadableRows],
    budget_limit: ['Number of calls that the key allows per window', budget.limit],
    budget_used: ['Number of calls that this BFF made in the window', budget.used],
    budget_left: ['Number of calls that may be made now', budget.left],
    budget_others: ['Number of calls that other users of the key made in the window', budget.others],
    budget_paused_seconds: ['Seconds until paused calls resume', budget.pausedForMs / 1_000],
    hosts_well: ['Hosts that answer', hosts.filter((host) => host.state === 'closed').length],
    readers_without_chart_ratio: [
      'Share of permitted chart requests in the last 5 minutes that got no chart, from 0 to 1',
      badShare(state.outcomes),
    ],
    charts_refused: [
      'How many charts have a URL that isn’t allowed, such as an http: URL',
      refusedCharts.reduce((sum, { charts }) => sum + charts, 0),
    ],
    alerts_failing: ['1 while the webhook accepts no messages', Number(alerts.failure !== null)],
    alerts_sent_total: ['How many messages the webhook accepted', alerts.sent],
    log_lost: ['1 while log lines are lost, because standard output can’t be written', Number(state.logLost)],
    ...(keyFile && {
      key_file_usable: [
        '0 while the key file is missing, unreadable, or holds no key that works',
        Number(keyFile.state === 'in_use' || keyFile.state === 'untried'),
      ],
      key_takeovers_total: ['Number of new keys from the key file that the service accepted', keyFile.takenOver],
    }),
    ...(stateDirFault !== undefined && {
      state_dir_failing: ['1 while files can’t be written to PULSE_STATE_DIR', Number(stateDirFault !== null)],
    }),
    ...(redis && redisGauges(redis, budget.capacity)),
  };
}

function redisGauges(
  { state, lostForMs, evictionPolicy, losses }: NonNullable<State['redis']>,
  capacity: number,
): Gauges {
  const isEvicting = evictionPolicy !== null && evictionPolicy !== 'noeviction';
  return {
    redis_joined: ['1 while the budget is shared over Redis', Number(state === 'joined')],
    redis_lost_seconds: ['Seconds since the connection to Redis was lost', lostForMs / 1_000],
    redis_evicting: ['1 while maxmemory-policy lets Redis drop values before they expire', Number(isEvicting)],
    redis_own_share: ['Number of calls per window that this instance may make if it can’t share the limit', capacity],
    redis_losses_total: ['Number of times that the connection to Redis was lost since startup', losses],
  };
}
