import type { OpenBackend } from '../../feature.ts';
import { redisAddressOf } from './address.ts';

/**
 * A shared cache and a shared budget for all instances (`REDIS_URL`). The client is loaded only if an address is
 * configured.
 */
export const openRedis: OpenBackend = async (config, { clock, keyRing: key, startedAt, redisAnswersWithinMs }) => {
  const address = await redisAddressOf(config);
  if (address === undefined) return undefined;
  const { openCluster } = await import('./cluster.ts');
  return openCluster(address, config, { clock, key, startedAt, redisAnswersWithinMs });
};
