import type { Pulse } from '../../data/pulse.ts';

/**
 * The URL under which the page has already loaded the chart of `pulse`, by the `<img>` of the snippet in `card`;
 * undefined if it has not. The BFF names the run that it has sent in `Server-Timing`, so no chart of another run is taken.
 */
export function loadedChartUrl(card: Element, { jobRunId }: Pulse): string | undefined {
  const url = card.querySelector<HTMLImageElement>('svg img')?.src;
  if (!url) return undefined;
  const entries = performance.getEntriesByName(url, 'resource') as PerformanceResourceTiming[];
  const isSameRun = entries.some(({ serverTiming }) =>
    serverTiming?.some(({ name, description }) => name === 'run' && description === encodeURIComponent(jobRunId)),
  );
  return isSameRun ? url : undefined;
}
