import { systemClock } from '../clock.ts';
import { type Cluster, openCluster } from '../redis/cluster.ts';
import { Secret } from '../secret.ts';
import { ApiKey } from '../upstream/key-file.ts';

/** An instance of a cluster, with what it warned of. */
export interface JoinedCluster extends AsyncDisposable {
  readonly cluster: Cluster;
}

/** The key of all instances, unless a test has another one. */
export const CLUSTER_KEY = keyOf('a-key-of-the-service');

const CONFIG = {
  baseUrl: 'https://service.test',
  rateLimit: 60,
  rateWindowMs: 60_000,
  rateReserve: 15,
  upstreamTimeoutMs: 5_000,
  freshForMs: 15_000,
  staleForMs: 60_000,
};

/** Opens a cluster at the Redis of `url`. */
export async function joinCluster(
  url: string,
  { current = () => CLUSTER_KEY, config = {} }: { current?: () => ApiKey; config?: Partial<typeof CONFIG> } = {},
): Promise<JoinedCluster> {
  const cluster = await openCluster(
    new Secret(url),
    { ...CONFIG, ...config },
    {
      clock: systemClock,
      key: { current },
      // Long: a busy machine is no lost Redis.
      redisAnswersWithinMs: 5_000,
    },
  );
  return { cluster, [Symbol.asyncDispose]: async () => cluster.close() };
}

/** A key made of `text`. */
export function keyOf(text: string): ApiKey {
  const key = ApiKey.from(text);
  if (key === undefined) throw new Error(`"${text}" is no key`);
  return key;
}
