import type { ApiKeyState } from '../upstream/api-key-status.ts';
import { LIST_ID } from '../upstream/subject.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Entries } from './entries.ts';
import type { PulseReader } from './pulse-reader.ts';

/** The facts that readiness and alerts depend on. */
export interface CacheHealth {
  /** Whether the BFF is ready for traffic: there is something to serve, which may be an empty list. */
  readonly ready: boolean;
  readonly key: ApiKeyState;
}

/** The parts of the cache that determine its readiness. */
interface HealthParts {
  readonly entries: Entries;
  readonly upstream: Upstream;
  readonly reader: Pick<PulseReader, 'freshnessOf'>;
}

/** The readiness of the cache at `now`. This takes constant time. */
export function cacheHealth(parts: HealthParts, now: number): CacheHealth {
  return { ready: hasAnswers(parts), key: parts.upstream.apiKey.status(now) };
}

/** Returns whether there is something to serve: the list or the newest pulse. */
function hasAnswers({ entries, reader }: HealthParts): boolean {
  const { list, newestPulseAt } = entries;
  if (list && reader.freshnessOf(LIST_ID, list) !== 'expired') return true;
  return newestPulseAt !== undefined && reader.freshnessOf('', { requestedAt: newestPulseAt }) !== 'expired';
}
