import { chartPath } from './pulses/chart.ts';

/** The absolute addresses in answers. */
export interface PublicUrls {
  base: () => string;
  chart: (chartId: string) => string;
  source: (sourceId: string) => string;
}

/** The addresses under `base`, which is called late: a free port is known only once it is listened on. */
export function publicUrls(base: () => string, adminUrl: string | undefined): PublicUrls {
  return {
    base,
    chart: (chartId) => base() + chartPath(chartId),
    source: (sourceId) => `${adminUrl ?? `${base()}/admin`}/sources/${sourceId}`,
  };
}
