import type { Ask } from '../load/reply.ts';
import { visitorsOf } from '../load/reply.ts';
import { BffProcess } from '../process/bff-process.ts';
import type { RecordingUpstream } from '../upstream/recording-upstream.ts';
import type { MakeCache } from '../competitors/cache-competitor.ts';
import { type ScaledTimes, variablesOf } from './scale.ts';

/** What serves visitors from a service of its own. */
export interface Participant {
  readonly name: string;
  readonly ask: Ask;
  close(): Promise<void>;
}

/** Sets a participant up in front of a service. */
export type SetUp = (upstream: RecordingUpstream, times: ScaledTimes) => Promise<Participant>;

/** Our BFF, as built, with both hosts. */
export const setUpBff: SetUp = async (upstream, times) => {
  const env = { PULSE_ALT_BASE_URL: upstream.urls.B, PULSE_SOURCES: upstream.ids.join(','), ...variablesOf(times) };
  const bff = await BffProcess.start({ upstream, env });
  return { name: 'BFF', ask: visitorsOf(bff.url), close: () => bff.stop() };
};

/** A cache, in this process. */
export function setUpCache(make: MakeCache): SetUp {
  return async (upstream, times) => {
    const cache = make(upstream.urls.A, times);
    const ask: Ask = (id) =>
      cache.read(id).then(
        (said) => ({ status: 200, said, isStale: false }),
        (error: unknown) => ({ status: 503, said: (error as Error).name, isStale: false }),
      );
    return { name: cache.name, ask, close: () => cache.close() };
  };
}
