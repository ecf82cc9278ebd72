import { LRUCache } from 'lru-cache';
import { askService, type MakeCache } from './cache-competitor.ts';

/** lru-cache's own `fetch`, told to keep and serve what is old when a refresh fails. */
export const lruCacheFetch: MakeCache = (baseUrl, times) => {
  const cache = new LRUCache<string, string>({
    max: 500,
    ttl: times.freshMs,
    allowStale: true,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: (id) => askService(baseUrl, id, times),
  });
  return {
    name: 'lru-cache fetch, allowStale',
    read: async (id) => {
      const run = await cache.fetch(id);
      if (run === undefined) throw new Error(`Cannot read pulse "${id}": nothing kept`);
      return run;
    },
    close: async () => cache.clear(),
  };
};
