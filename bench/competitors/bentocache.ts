import { BentoCache, bentostore } from 'bentocache';
import { memoryDriver } from 'bentocache/drivers/memory';
import { askService, type MakeCache } from './cache-competitor.ts';

/** bentocache with its grace period, answering at once from what is old (`timeout: 0`). */
export const bentocacheAtOnce: MakeCache = (baseUrl, times) => bento('bentocache, grace, timeout 0', 0, baseUrl, times);

/** bentocache with its grace period and a soft timeout, as its manual recommends. */
export const bentocacheSoft: MakeCache = (baseUrl, times) =>
  bento('bentocache, grace, soft timeout', Math.ceil(300 / times.scale), baseUrl, times);

function bento(name: string, timeout: number, ...[baseUrl, times]: Parameters<MakeCache>): ReturnType<MakeCache> {
  const store = bentostore().useL1Layer(memoryDriver({ maxItems: 500 }));
  const cache = new BentoCache({
    default: 'pulses',
    stores: { pulses: store },
    ttl: times.freshMs,
    grace: times.staleMs,
    // Its default of 10 s.
    graceBackoff: Math.ceil(10_000 / times.scale),
    timeout,
  });
  return {
    name,
    read: (id) => cache.getOrSet({ key: id, factory: () => askService(baseUrl, id, times) }),
    close: () => cache.disconnectAll(),
  };
}
