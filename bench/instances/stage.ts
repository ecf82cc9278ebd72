import { setTimeout as pause } from 'node:timers/promises';
import { type RedisServer, startRedis } from '../../packages/bff/src/testing/redis-server.ts';
import { BffProcess } from '../process/bff-process.ts';
import type { RecordingUpstream, UpstreamOptions } from '../upstream/recording-upstream.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';

/** Several real BFF processes on one real Redis, in front of an upstream that writes down each arrival. */
export interface Stage extends AsyncDisposable {
  readonly upstream: RecordingUpstream;
  readonly redis: RedisServer;
  readonly instances: readonly BffProcess[];
}

export interface StageOptions {
  readonly instances: number;
  readonly upstream?: UpstreamOptions;
  /** Variables of every instance, beside the addresses. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of the Redis server, as on its command line. */
  readonly redisOptions?: readonly string[];
}

/** What `/status` says of the instances on one Redis. */
export interface RedisFacts {
  readonly state: 'joined' | 'lost';
  readonly instances: number;
  readonly isLeader: boolean;
  readonly share: number;
}

/** How long something may take that is waited for. */
const TIMEOUT_MS = 60_000;

/** Starts it all, with the upstream's ids as known sources; resolves once all instances know of each other and may call. */
export async function openStage({
  instances: count,
  upstream: how = {},
  env,
  redisOptions,
}: StageOptions): Promise<Stage> {
  const [redis, upstream] = await Promise.all([startRedis(redisOptions), spawnUpstream(how)]);
  const variables = { PULSE_SOURCES: upstream.ids.join(','), REDIS_URL: redis.url, ...env };
  const instances: BffProcess[] = [];
  for (let index = 0; index < count; index += 1) instances.push(await BffProcess.start({ upstream, env: variables }));
  await until(async () => (await factsOf(instances)).every((facts) => facts?.instances === count));
  await until(async () => (await Promise.all(instances.map(isReady))).every(Boolean));
  return {
    upstream,
    redis,
    instances,
    async [Symbol.asyncDispose]() {
      redis.resume();
      await Promise.all(instances.map((instance) => instance.kill()));
      await Promise.all([redis.close(), upstream.close()]);
    },
  };
}

/** How each instance stands with the others; undefined where it does not answer. */
export function factsOf(instances: readonly BffProcess[]): Promise<(RedisFacts | undefined)[]> {
  return Promise.all(
    instances.map(async ({ adminUrl }) => {
      const answer = await fetch(`${adminUrl}/status`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
      return answer && ((await answer.json()) as { redis: RedisFacts }).redis;
    }),
  );
}

/** Resolves to how long it took, in ms, until `holds` did. */
export async function until(holds: () => Promise<boolean>): Promise<number> {
  const from = performance.now();
  while (!(await holds())) {
    if (performance.now() - from > TIMEOUT_MS) throw new Error('Waited in vain');
    await pause(20);
  }
  return performance.now() - from;
}

async function isReady({ url }: BffProcess): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}
