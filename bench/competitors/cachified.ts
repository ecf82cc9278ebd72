import { type Cache, type CacheEntry, cachified } from '@epic-web/cachified';
import { LRUCache } from 'lru-cache';
import { askService, type MakeCache } from './cache-competitor.ts';

/** @epic-web/cachified with stale-while-revalidate and its fallback to the cache. */
export const cachifiedCache: MakeCache = (baseUrl, times) => {
  const kept = new LRUCache<string, CacheEntry>({ max: 500 });
  const cache: Cache = {
    get: (key) => kept.get(key),
    set: (key, value) => kept.set(key, value),
    delete: (key) => kept.delete(key),
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
    close: async () => kept.clear(),
  };
};
