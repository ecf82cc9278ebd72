import { rmSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type RedisServer, startRedis } from '../../packages/bff/src/testing/redis-server.ts';
import { BffProcess } from '../process/bff-process.ts';
import type { RecordingUpstream } from '../upstream/recording-upstream.ts';
import { spawnUpstream } from '../upstream/spawn-upstream.ts';
import { openRelay, type Relay } from '../../packages/bff/src/testing/relay.ts';

/** One process of many: how it reaches Redis, and what it takes the time for. */
export interface Instance {
  readonly bff: BffProcess;
  readonly relay: Relay;
  /** How many processes it has been before this one. */
  life: number;
  /** Troubles for which nobody can expect an answer now: it is killed and not yet back, or stands still. */
  goneFor: number;
  setClock(shiftMs: number): void;
}

/** Several processes on one Redis in front of one upstream. */
export interface Cluster extends AsyncDisposable {
  readonly instances: readonly Instance[];
  readonly redis: RedisServer;
  readonly upstream: RecordingUpstream;
}

/** How the account is, and what the processes may spend. */
export interface ClusterOptions {
  readonly instances: number;
  readonly seed: number;
  readonly sources: number;
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
}

/** How long a process waits for an answer of the upstream, in ms. */
export const DEADLINE_MS = 1_500;

const SHIFT_CLOCK = pathToFileURL(join(import.meta.dirname, 'shift-clock.ts')).href;

/** Starts it all. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { instances: count, seed, sources, limit, windowMs } = options;
  const folder = mkdtempSync(join(tmpdir(), 'pulse-nemesis-'));
  const world = { sources, seed, changeEveryMs: [2_000, 20_000], limit, windowMs, latencyMs: [5, 250] } as const;
  const [redis, upstream] = await Promise.all([startRedis(['--rdbcompression', 'no']), spawnUpstream(world)]);
  const instances: Instance[] = [];
  // One after the other: a machine with two cores starts them no sooner all at once.
  for (let index = 0; index < count; index += 1)
    instances.push(await startInstance(join(folder, `clock-${index}`), { redis, upstream, options }));
  return {
    instances,
    redis,
    upstream,
    async [Symbol.asyncDispose]() {
      redis.resume();
      await Promise.all(instances.map(({ bff }) => bff.kill()));
      await Promise.all([redis.close(), upstream.close(), ...instances.map(({ relay }) => relay.close())]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Around {
  readonly redis: RedisServer;
  readonly upstream: RecordingUpstream;
  readonly options: ClusterOptions;
}

async function startInstance(clockFile: string, { redis, upstream, options }: Around): Promise<Instance> {
  const relay = await openRelay(redis.port);
  const setClock = (shiftMs: number) => writeFileSync(clockFile, String(shiftMs));
  setClock(0);
  const env = {
    NODE_OPTIONS: `--import=${SHIFT_CLOCK}`,
    NEMESIS_CLOCK: clockFile,
    PULSE_ALT_BASE_URL: upstream.urls.B,
    PULSE_SOURCES: upstream.ids.join(','),
    REDIS_URL: `redis://127.0.0.1:${relay.port}`,
    PULSE_RATE_LIMIT: String(options.limit),
    PULSE_RATE_RESERVE: String(options.reserve),
    PULSE_RATE_WINDOW_MS: String(options.windowMs),
    PULSE_FRESH_MS: '1000',
    PULSE_UPSTREAM_TIMEOUT_MS: String(DEADLINE_MS),
  };
  const start = () => BffProcess.start({ upstream, env });
  // A port that was free a moment ago may be another's by now.
  const bff = await start().catch(start);
  return { bff, relay, life: 0, goneFor: 0, setClock };
}
