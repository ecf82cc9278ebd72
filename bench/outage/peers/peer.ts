import { BENCH_KEY } from '../../upstream/recording-upstream.ts';
import type { ScaledTimes } from '../scale.ts';

/** What stands between visitors and the service, with a cache that can serve what is old. */
export interface Peer {
  readonly name: string;
  /** The run that a visitor is shown. Rejects where there is nothing to show. */
  read(id: string): Promise<string>;
  close(): Promise<void>;
}

/** Makes a peer in front of a host of the service. */
export type MakePeer = (baseUrl: string, times: ScaledTimes) => Peer;

/** Asks the service as each peer does: one deadline, any status but 200 is a failure. */
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
