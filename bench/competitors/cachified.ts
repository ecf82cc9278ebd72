import { type Cache, type CacheEntry, cachified } from '@epic-web/cachified';
import { LRUCache } from 'lru-cache';
import { askService, type MakeCache } from './cache-competitor.ts';

/** @epic-web/cachified with stale-while-revalidate and its fallback to the cache. */
export const cachifiedCache: MakeCache = (baseUrl, times) => {
  const cached = new LRUCache<string, CacheEntry>({ max: 500 });
  const cache: Cache = {
    get: (key) => cached.get(key),
    set: (key, value) => cached.set(key, value),
    delete: (key) => cached.delete(key),
  };
  return {
    name: '@epic-web/cachified, swr and fallback',
    read: (id) =>
      cachified({
        key: id,
        cache,
        ttl: times.freshMs,
        swr: times.staleMs,
        fallbackToCache: times.staleMs,
        getFreshValue: () => askService(baseUrl, id, times),
      }),
    close: async () => cached.clear(),
  };
};
