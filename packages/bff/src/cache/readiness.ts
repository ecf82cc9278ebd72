import type { ApiKeyState } from '../upstream/api-key-status.ts';
import { LIST_ID } from '../upstream/subject.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Entries } from './entries.ts';
import type { PulseReader } from './pulse-reader.ts';

/** The facts that readiness and alerts depend on. */
export interface CacheHealth {
  /** Ready for traffic: there is something to serve, the empty list included. */
  readonly ready: boolean;
  readonly key: ApiKeyState;
}

/** The parts of the cache that readiness is read from. */
interface HealthParts {
  readonly entries: Entries;
  readonly upstream: Upstream;
  readonly reader: Pick<PulseReader, 'freshnessOf'>;
}

/** The readiness of the cache at `now`, in constant time. */
export function cacheHealth(parts: HealthParts, now: number): CacheHealth {
  return { ready: hasAnswers(parts), key: parts.upstream.apiKey.status(now) };
}

/** Returns whether the list, or the newest pulse, may be served: then there is something to serve. */
function hasAnswers({ entries, reader }: HealthParts): boolean {
  const { list, newestPulseAt } = entries;
  if (list && reader.freshnessOf(LIST_ID, list) !== 'expired') return true;
  return newestPulseAt !== undefined && reader.freshnessOf('', { requestedAt: newestPulseAt }) !== 'expired';
}
