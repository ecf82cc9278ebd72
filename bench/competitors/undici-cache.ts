import { Agent, interceptors } from 'undici';
import { BENCH_KEY } from '../upstream/recording-upstream.ts';
import { type MakeCache, runOf } from './cache-competitor.ts';

/** undici's cache interceptor, which follows the service's `Cache-Control`; the spec has none, so here it is given one. */
export const undiciCache: MakeCache = (baseUrl, times) => {
  const agent = new Agent().compose(interceptors.cache());
  return {
    name: 'undici cache interceptor',
    read: async (id) => {
      const answer = await agent.request({
        origin: baseUrl,
        path: `/v1/sources/${id}/pulse`,
        method: 'GET',
        headers: { 'x-api-key': BENCH_KEY },
        signal: AbortSignal.timeout(times.timeoutMs),
      });
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        throw new Error(`Cannot read pulse "${id}": the service answered ${answer.statusCode}`);
      }
      return runOf(await answer.body.json());
    },
    close: () => agent.close(),
  };
};
