import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { RedisServer } from '@pulse-card/testkit/redis-server';
import type { Instance } from './cluster.ts';

/** How a process ended after it was told to stop. */
export interface Stop {
  readonly instance: number;
  readonly tookMs: number;
  readonly exitCode: number | null;
  /**
   * What the process left behind, in words: ports in use, lock files, unfinished files, and failures that it reported
   * to other instances.
   */
  readonly left: readonly string[];
}

/** Sends SIGTERM to a process and checks what it leaves behind. */
export async function stopInstance(
  { bff, stateDir }: Instance,
  { instance, redis, isUpstreamHealthy }: { instance: number; redis: RedisServer; isUpstreamHealthy: boolean },
): Promise<Stop> {
  const failuresBefore = isUpstreamHealthy ? await abortedCallsIn(redis) : [];
  const startedAt = performance.now();
  await bff.stop();
  const tookMs = performance.now() - startedAt;
  const failures = isUpstreamHealthy ? await abortedCallsIn(redis) : [];
  return {
    instance,
    tookMs: Math.round(tookMs),
    exitCode: bff.exitCode,
    left: [
      ...(await takenPorts([bff.url, bff.adminUrl])),
      ...halfWritten(stateDir),
      ...failures.filter((name) => !failuresBefore.includes(name)).map((name) => `failure told: ${name}`),
    ],
  };
}

async function takenPorts(urls: readonly string[]): Promise<string[]> {
  const ports = urls.map((url) => Number(new URL(url).port));
  const taken = await Promise.all(ports.map(async (port) => ((await isFree(port)) ? [] : [`port ${port} is taken`])));
  return taken.flat();
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function halfWritten(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /lock|\.new$|\.tmp/.test(file)).map((file) => `file ${file} is left`);
}

/** The failures in Redis for calls that were cut off, for example by a stop. Empty if Redis has ended. */
async function abortedCallsIn(redis: RedisServer): Promise<string[]> {
  try {
    const names = (await redis.command('KEYS', 'pulse:*:failure:*'))
      .split('\r\n')
      .filter((line) => line.startsWith('pulse:'));
    const values = await Promise.all(names.map((name) => redis.command('GET', name)));
    return names.filter((_, index) => /upstream-unavailable|stopping/.test(values[index] ?? ''));
  } catch {
    return [];
  }
}
