import { chartPath } from './charts/chart-id.ts';

/** The absolute addresses that answers hold. */
export interface Site {
  publicUrl: () => string;
  chartUrl: (chartId: string) => string;
  sourceUrl: (sourceId: string) => string;
}

/** The addresses under `publicUrl`, which is asked late: a free port is known once it is listened on. */
export function siteAt(publicUrl: () => string, adminUrl: string | undefined): Site {
  return {
    publicUrl,
    chartUrl: (chartId) => publicUrl() + chartPath(chartId),
    sourceUrl: (sourceId) => `${adminUrl ?? `${publicUrl()}/admin`}/sources/${sourceId}`,
  };
}
