import { chartPath } from './pulses/chart.ts';

/** The absolute URLs in responses. */
export interface PublicUrls {
  base: () => string;
  chart: (chartId: string) => string;
  source: (sourceId: string) => string;
}

/** The URLs under `base`. `base` is called late, because a free port is known only once the server listens on it. */
export function publicUrls(base: () => string, adminUrl: string | undefined): PublicUrls {
  return {
    base,
    chart: (chartId) => base() + chartPath(chartId),
    source: (sourceId) => `${adminUrl ?? `${base()}/admin`}/sources/${sourceId}`,
  };
}
