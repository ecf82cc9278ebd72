import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster, Instance } from './cluster.ts';

/** The number of sources that live cards watch on each instance. */
export const WATCHED_EACH = 3;

/** How often a live card sends a request, in ms. Real cards send fewer requests, but real windows are longer. */
const ASK_EVERY_MS = 250;

/** The sources that live cards watch: `WATCHED_EACH` for each instance, from the beginning of the list. */
export function watchedIds(ids: readonly string[], instances: number): readonly string[] {
  return ids.slice(0, instances * WATCHED_EACH);
}

/** Sends requests to all instances like live cards, until `signal` aborts. */
export async function watchSources({ instances, upstream }: Cluster, signal: AbortSignal): Promise<void> {
  const ids = watchedIds(upstream.ids, instances.length);
  await Promise.all(
    instances.map((instance, index) =>
      watch(instance, ids.slice(index * WATCHED_EACH, (index + 1) * WATCHED_EACH), signal),
    ),
  );
}

async function watch({ bff }: Instance, ids: readonly string[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await (await fetch(`${bff.url}/v1/pulses?ids=${ids.toSorted().join(',')}`, { signal })).arrayBuffer();
    } catch {
      // The process has ended or is frozen. The next round sends the request again.
    }
    await pause(ASK_EVERY_MS);
  }
}
