import { setTimeout as pause } from 'node:timers/promises';
import { nowNs } from '@pulse-card/testkit/service/fake-service';
import type { Cluster, Instance } from './cluster.ts';
import { until } from '@pulse-card/testkit/until';

/** The time between two checks of each instance, in ms. */
const LOOK_MS = 400;

/** The part of `/status` that is about Redis. */
interface RedisFacts {
  readonly state: 'joined' | 'lost';
  readonly losses: number;
}

/**
 * Records when an instance reports that it has lost Redis, in ns. The reason doesn't matter: on a busy machine, Redis
 * may answer too late even if the schedule has no failure at that time.
 */
export async function watchSight({ instances }: Cluster, signal: AbortSignal): Promise<number[]> {
  const blindAtNs: number[] = [];
  await Promise.all(
    instances.map(async (instance) => {
      let losses = 0;
      while (!signal.aborted) {
        await pause(LOOK_MS);
        const facts = await sightOf(instance);
        if (facts?.state !== 'joined' || facts.losses > losses) blindAtNs.push(nowNs());
        losses = facts?.losses ?? 0;
      }
    }),
  );
  return blindAtNs;
}

/** Resolves once all instances use Redis. */
export async function untilAllJoined(instances: readonly Instance[]): Promise<void> {
  await until('all instances use Redis', async () => {
    const facts = await Promise.all(instances.map(sightOf));
    return facts.every((each) => each?.state === 'joined');
  });
}

async function sightOf({ bff }: Instance): Promise<RedisFacts | undefined> {
  const answer = await fetch(`${bff.adminUrl}/status`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  const status = (await answer?.json().catch(() => undefined)) as { redis: RedisFacts } | undefined;
  return status?.redis;
}
