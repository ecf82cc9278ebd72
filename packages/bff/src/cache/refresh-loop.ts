import type { Clock } from '../clock.ts';

/** How often the planner is asked where the next call is best spent. */
const TICK_MS = 500;

/** Runs `tick` twice a second, never twice at once, until it is ended; `tick` must never reject. */
export function startRefreshLoop(clock: Clock, tick: () => Promise<void>): () => void {
  let ended = false;
  let cancel = clock.schedule(TICK_MS, beat);

  function beat(): void {
    void tick().finally(() => {
      if (!ended) cancel = clock.schedule(TICK_MS, beat);
    });
  }

  return () => {
    ended = true;
    cancel();
  };
}
