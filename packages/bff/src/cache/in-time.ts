import type { Clock } from '../clock.ts';
import type { Flight } from './flights.ts';

/** The longest that a reader who could be served a stale answer waits for a fresh one. */
export const READER_WAIT_MS = 500;

/**
 * What a flight brings, or undefined where it is not there in time: half a second from its start for a reader who has
 * something `stale` to read, the upstream's deadline for one who has not. Leaves no timer behind.
 */
export function inTime<Landed>(
  { startedAt, landed }: Flight<Landed>,
  { clock, upstreamTimeoutMs }: { clock: Clock; upstreamTimeoutMs: number },
  fwd: 'miss' | 'stale' = 'miss',
): Promise<Landed | undefined> {
  const limitMs = fwd === 'miss' ? upstreamTimeoutMs : Math.max(0, startedAt + READER_WAIT_MS - clock.now());
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(limitMs, () => resolve(undefined));
    landed.then(resolve, reject).finally(cancel);
  });
}
