import type { ApiKeyState } from '../upstream/api-key-status.ts';
import { LIST_ID } from '../upstream/subject.ts';
import type { CacheParts } from './cache-parts.ts';
import type { PulseReader } from './pulse-reader.ts';

/** The facts that determine readiness and alerts. */
export interface CacheHealth {
  /** Whether the BFF is ready for traffic: there is something to serve, which may be an empty list. */
  readonly ready: boolean;
  readonly key: ApiKeyState;
}

/** The readiness of the cache, in constant time. */
export function cacheHealth({ entries, upstream, clock }: CacheParts, reader: PulseReader): CacheHealth {
  const { list, newest } = entries;
  const isListUsable = list !== undefined && reader.freshnessOf(LIST_ID, list) !== 'expired';
  const ready =
    isListUsable || (newest !== undefined && reader.freshnessOf(newest.value.sourceId, newest) !== 'expired');
  return { ready, key: upstream.apiKey.status(clock.now()) };
}
