import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe } from 'node:test';
import { fullPulse } from '@pulse-card/contract/examples';
import type { Variables } from '../config/variables.ts';
import { account, sendJson, startFakeService } from './fake-service.ts';
import { until } from '../../../testkit/src/until.ts';
import { redisProgram, startRedis } from '../../../testkit/src/redis-server.ts';
import { serveBff } from './served-bff.ts';

/**
 * Describes tests that need a Redis server. They run only on machines that have Redis. On other machines, the setup
 * prints a line that says so.
 */
export function describeWithRedis(title: string, tests: () => void): void {
  if (redisProgram() !== undefined) describe(title, tests);
}

/** Returns 1 once the only shared budget in Redis is older than a window. */
const IS_OPEN = `local name = redis.call('KEYS', 'pulse:*:state')[1]
return name and redis.call('TIME')[1] * 1000 - redis.call('HGET', name, 'epoch') > tonumber(ARGV[1]) and 1 or 0`;

/**
 * Starts `count` instances with their own Redis, in front of a service that knows every id. Resolves when the shared
 * budget in Redis grants calls. By default, Redis has a long time to answer, because it can be slow on a busy machine.
 */
export async function startInstances(
  count: number,
  { variables = {}, redisAnswersWithinMs = 5_000 }: { variables?: Variables; redisAnswersWithinMs?: number } = {},
) {
  const [redis, service] = await Promise.all([startRedis(), startFakeService()]);
  const runs = new Map<string, string>();
  service.answer = (request, response) => answerAny(request, response, runs);
  const common = {
    PULSE_API_KEY: 'a-key-that-all-instances-share',
    PULSE_BASE_URL: service.url,
    PULSE_SOURCES: 'listed,src_a,src_b,src_c',
    REDIS_URL: redis.url,
    PULSE_RATE_WINDOW_MS: '2000',
    ...variables,
  };
  const serve = () => serveBff(common, redisAnswersWithinMs);
  const served = await Promise.all(Array.from({ length: count }, serve));
  await until('the account grants calls', async () =>
    (await redis.command('EVAL', IS_OPEN, '0', common.PULSE_RATE_WINDOW_MS ?? '')).startsWith(':1'),
  );
  return {
    service,
    redis,
    urls: served.map(({ url }) => url),
    /** The number of calls for an id that reached the service. */
    callsAbout: (id: string) => service.arrivals.filter(({ url }) => url.includes(`/${id}`)).length,
    read: (instance: number, id: string) => served[instance]!.read(id),
    /** Makes the service answer with a different pulse from now on. */
    change: (id: string, jobRunId: string) => void runs.set(id, jobRunId),
    /** Stops an instance and starts it again. */
    async restart(instance: number) {
      await served[instance]![Symbol.asyncDispose]();
      served[instance] = await serve();
    },
    async [Symbol.asyncDispose]() {
      redis.resume();
      for (const each of served) await each[Symbol.asyncDispose]();
      await Promise.all([redis.close(), service[Symbol.asyncDispose]()]);
    },
  };
}

/** Several instances on one Redis, in front of one service. */
export type Instances = Awaited<ReturnType<typeof startInstances>>;

/** Responds with an empty source list, but with a pulse for any id. */
function answerAny(request: IncomingMessage, response: ServerResponse, runs: ReadonlyMap<string, string>): void {
  const meta = { account, requestedAt: new Date().toISOString() };
  const id = /^\/v1\/sources\/([^/]+)\/pulse$/.exec(request.url ?? '')?.[1];
  if (id === undefined) return sendJson(response, 200, { meta, sources: [] });
  const jobRunId = runs.get(id) ?? 'run_1';
  sendJson(response, 200, { meta, pulse: { ...fullPulse, sourceId: id, jobRunId } });
}
