import type { BackendDefinition } from '../../feature.ts';
import { redisAddressOf, redisVariables } from './address.ts';

/**
 * Shares a cache and a budget between all instances (`REDIS_URL`). The client library is loaded only if an address is
 * configured.
 */
export const redisBackend: BackendDefinition<typeof redisVariables> = {
  variables: redisVariables,
  async open({ config, clock, key, startedAt, redisAnswersWithinMs }, settings) {
    const address = await redisAddressOf(settings);
    if (address === undefined) return undefined;
    const { openCluster } = await import('./cluster.ts');
    return openCluster(address, config, { clock, key: key(), startedAt, redisAnswersWithinMs });
  },
};
