import type { Clock } from '../clock.ts';

/** How often the planner is asked where the next call is best spent. */
const TICK_MS = 500;

/** Runs `tick` twice a second, never twice at once, until it is ended; goes on after one that fails, of which `onFault` hears. */
export function startRefreshLoop(
  clock: Clock,
  tick: () => Promise<void>,
  onFault: (fault: unknown) => void,
): () => void {
  let ended = false;
  let cancel = clock.schedule(TICK_MS, run);

  function run(): void {
    void tick()
      .catch(onFault)
      .finally(() => {
        if (!ended) cancel = clock.schedule(TICK_MS, run);
      });
  }

  return () => {
    ended = true;
    cancel();
  };
}
