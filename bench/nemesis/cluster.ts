import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type RedisServer, startRedis } from '@pulse-card/testkit/redis-server';
import { BffProcess } from '@pulse-card/testkit/bff-process';
import type { FakeServiceRemote } from '@pulse-card/testkit/service/fake-service';
import { spawnFakeService } from '@pulse-card/testkit/service/control';
import { openRelay, type Relay } from '../../packages/bff/src/testing/relay.ts';
import type { Machine } from './machine.ts';

/** One of the processes, with its connection to Redis, its stored data, and its simulated machine. */
export interface Instance {
  readonly bff: BffProcess;
  readonly relay: Relay;
  /** How often the process has been restarted. */
  life: number;
  /**
   * The number of current failures during which the process can't answer: it is killed and not yet restarted, or it is
   * frozen.
   */
  endedFor: number;
  /** The folder in which the process keeps its last answers. */
  readonly stateDir: string;
  /** Changes the simulated machine. */
  setMachine(change: (now: Machine) => Partial<Machine>): void;
}

/** Several processes with one Redis, or a single process without Redis, in front of one upstream. */
export interface Cluster extends AsyncDisposable {
  readonly instances: readonly Instance[];
  readonly redis: RedisServer;
  readonly upstream: FakeServiceRemote;
}

/** The account's limits, and the number of calls that the processes may make. */
export interface ClusterOptions {
  readonly instances: number;
  /** @default true if there are several instances */
  readonly hasRedis: boolean;
  /** Whether the service always fails to read the first source's pulse. */
  readonly hasBrokenSource: boolean;
  readonly seed: number;
  readonly sources: number;
  readonly limit: number;
  readonly reserve: number;
  readonly windowMs: number;
}

/** The age at which an answer is refreshed, in ms. */
export const FRESH_MS = 1_000;

/** How long a process waits for an answer from the upstream, in ms. */
export const DEADLINE_MS = 1_500;

const MACHINE = pathToFileURL(join(import.meta.dirname, 'machine.ts')).href;

/** Starts the upstream, Redis, and the processes. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const { instances: count, seed, sources, limit, windowMs, hasBrokenSource } = options;
  const folder = mkdtempSync(join(tmpdir(), 'pulse-nemesis-'));
  const world = {
    sources,
    seed,
    changeEveryMs: [2_000, 20_000],
    limit,
    windowMs,
    latencyMs: [5, 250],
    hasBrokenSource,
  } as const;
  const [redis, upstream] = await Promise.all([startRedis(['--rdbcompression', 'no']), spawnFakeService(world)]);
  const instances: Instance[] = [];
  // Starts the processes one after another, because a machine with two cores wouldn't start them faster in parallel.
  for (let index = 0; index < count; index += 1)
    instances.push(await startInstance(join(folder, String(index)), { redis, upstream, options }));
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
  readonly upstream: FakeServiceRemote;
  readonly options: ClusterOptions;
}

async function startInstance(folder: string, { redis, upstream, options }: Around): Promise<Instance> {
  const relay = await openRelay(redis.port);
  const machineFile = `${folder}.machine`;
  const stateDir = `${folder}.state`;
  let machine: Machine = { wallShiftMs: 0, isDiskFull: false };
  const setMachine = (change: (now: Machine) => Partial<Machine>): void => {
    machine = { ...machine, ...change(machine) };
    writeFileSync(`${machineFile}.new`, JSON.stringify(machine));
    renameSync(`${machineFile}.new`, machineFile);
  };
  setMachine(() => ({}));
  const env = {
    NODE_OPTIONS: `--import=${MACHINE}`,
    NEMESIS_MACHINE: machineFile,
    PULSE_STATE_DIR: stateDir,
    PULSE_ALT_BASE_URL: upstream.urls.B,
    PULSE_SOURCES: `listed,${upstream.ids.join(',')}`,
    ...(options.hasRedis && { REDIS_URL: `redis://127.0.0.1:${relay.port}` }),
    PULSE_RATE_LIMIT: String(options.limit),
    PULSE_RATE_RESERVE: String(options.reserve),
    PULSE_RATE_WINDOW_MS: String(options.windowMs),
    PULSE_FRESH_MS: String(FRESH_MS),
    PULSE_UPSTREAM_TIMEOUT_MS: String(DEADLINE_MS),
  };
  const start = () => BffProcess.start({ upstream, env });
  // Tries twice, because another program may have taken a port that was free a moment ago.
  const bff = await start().catch(start);
  return { bff, relay, life: 0, endedFor: 0, stateDir, setMachine };
}
