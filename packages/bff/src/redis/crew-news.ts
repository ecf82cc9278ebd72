import type { Clock } from '../clock.ts';
import type { CrewStatus } from './crew-status.ts';

/** How often it is looked whether Redis is lost or back; what is shorter is not worth a word. */
const LOOK_EVERY_MS = 2_000;

/**
 * Tells an operator, once, when Redis is lost and when it is back. What `warn` does not write (it returns false) is told
 * later, if it is still so. The returned function ends it.
 */
export function tellCrewNews(clock: Clock, status: () => CrewStatus, warn: (sentence: string) => unknown): () => void {
  let told: CrewStatus['state'] = 'joined';
  let cancel = (): void => {};
  const look = (): void => {
    const { state, fault, share } = status();
    if (state !== told && warn(newsOf(state, fault, share)) !== false) told = state;
    cancel = clock.schedule(LOOK_EVERY_MS, look);
  };
  look();
  return () => cancel();
}

function newsOf(state: CrewStatus['state'], fault: CrewStatus['fault'], share: number): string {
  if (state === 'joined') return 'Redis is back: all instances share one budget and their answers again';
  const may = share === 1 ? 'one call a window' : `${share === 0 ? 'no' : share} calls a window`;
  return `Redis is lost (REDIS_URL: ${fault ?? 'no answer'}): what is known is served, and this instance makes ${may} by itself`;
}
