import { BENCH_KEY } from '../upstream/recording-upstream.ts';
import type { ScaledTimes } from '../outage/scale.ts';

/** A cache between visitors and the service that can serve stale answers. */
export interface CacheCompetitor {
  readonly name: string;
  /** Resolves to the run that a visitor is shown; rejects where there is nothing to show. */
  read(id: string): Promise<string>;
  close(): Promise<void>;
}

/** Makes a cache in front of a host of the service. */
export type MakeCache = (baseUrl: string, times: ScaledTimes) => CacheCompetitor;

/** Asks the service as each of the caches does: one deadline, any status but 200 is a failure. */
export async function askService(baseUrl: string, id: string, { timeoutMs }: ScaledTimes): Promise<string> {
  const answer = await fetch(`${baseUrl}/v1/sources/${id}/pulse`, {
    headers: { 'X-API-Key': BENCH_KEY },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    throw new Error(`Cannot read pulse "${id}": the service answered ${answer.status}`);
  }
  return runOf(await answer.json());
}

/** The run in an answer of the service. */
export function runOf(body: unknown): string {
  return (body as { pulse: { jobRunId: string } }).pulse.jobRunId;
}
