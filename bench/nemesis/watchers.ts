import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster, Instance } from './cluster.ts';

/** Sources that live streams of each instance watch. */
export const WATCHED_EACH = 3;

/** How soon a stream that ended is opened again, in ms. */
const REOPEN_MS = 250;

/** The sources that are watched in a world: the first ones, shared out among the instances. */
export function watchedIds(ids: readonly string[], instances: number): readonly string[] {
  return ids.slice(0, instances * WATCHED_EACH);
}

/** Keeps live streams open at all instances until `signal`. */
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
      const { body } = await fetch(`${bff.url}/v1/events?ids=${ids.join(',')}`, { signal });
      for await (const _ of body ?? []) continue;
    } catch {
      // The process is gone, or stands still: the stream is opened again.
    }
    await pause(REOPEN_MS);
  }
}
