import type { Clock } from '../clock.ts';
import type { RedisFault } from './redis-client.ts';

const ADVICE: Readonly<Record<RedisFault, string>> = {
  timeout: 'check its load and the network to it',
  // A Redis in protected mode closes the connection before the client has read why.
  disconnected: 'check that it runs and lets this server in (bind, protected mode, firewall)',
  'read-only': 'check that it is the primary and can write to its disk',
  full: 'raise its maxmemory',
  loading: 'wait until it has loaded its data',
  refused: 'check the user, the password and the database of the address',
  'invalid-reply': 'check that a Redis or Valkey server is at the address',
};

/** What an operator is to do while Redis is lost. */
export function redisAdvice(fault: RedisFault = 'disconnected'): string {
  return ADVICE[fault];
}

/** The state of this instance in the cluster. */
export interface ClusterStatus {
  /** `joined`: spends from the shared account; `lost`: spends from its own share. */
  readonly state: 'joined' | 'lost';
  readonly fault: RedisFault | undefined;
  /** Instances that share the account, as far as is known; 0 before the first reply. */
  readonly instances: number;
  readonly isLeader: boolean;
  /** Calls a window that this instance may make while Redis is lost. */
  readonly share: number;
  /** How long Redis has been lost; 0 while it is not. */
  readonly lostForMs: number;
  /** How often it was lost since the start. */
  readonly losses: number;
}

/** How often the state is checked; shorter losses are not logged. */
const POLL_EVERY_MS = 2_000;

/**
 * Logs once when Redis is lost and once when it is back. A line that `warn` does not write (it returns false) is logged later,
 * if it still holds. The returned function ends it.
 */
export function logClusterChanges(
  clock: Clock,
  status: () => ClusterStatus,
  warn: (sentence: string) => unknown,
): () => void {
  let logged: ClusterStatus['state'] = 'joined';
  let cancel = (): void => {};
  const look = (): void => {
    const { state, fault, share } = status();
    if (state !== logged && warn(changeText(state, fault, share)) !== false) logged = state;
    cancel = clock.schedule(POLL_EVERY_MS, look);
  };
  look();
  return () => cancel();
}

function changeText(state: ClusterStatus['state'], fault: ClusterStatus['fault'], share: number): string {
  if (state === 'joined') return 'Redis is back: all instances share one budget and their answers again';
  const may = share === 1 ? 'one call a window' : `${share === 0 ? 'no' : share} calls a window`;
  return `Redis is lost (REDIS_URL: ${fault ?? 'no answer'}): ${redisAdvice(fault)}. What is known is served, and this instance makes ${may} by itself`;
}
