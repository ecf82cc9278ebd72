import type { ReadPulse } from '@pulse-card/contract';
import type { AppConfig } from '../../config/config.ts';
import type { Core, Gauges } from '../../feature.ts';
import { directChartUrl } from '../../http/public-fields.ts';
import type { Problem } from '../../observability/problem.ts';
import { type ChartRefusal, ImageHosts } from './image-hosts.ts';
import type { ImageSettings } from './variables.ts';

/**
 * One host's charts with addresses that aren't allowed, such as `http:` addresses. Readers see only the text of the
 * affected pulses.
 */
export interface RefusedCharts extends ChartRefusal {
  readonly charts: number;
}

/**
 * Creates the function that returns why readers don't get the chart of a pulse. The function returns undefined if
 * readers get the chart, or if there is no chart.
 */
export function chartRefusals(
  config: AppConfig,
  settings: ImageSettings,
): (pulse: ReadPulse) => ChartRefusal | undefined {
  const hosts = new ImageHosts(config, settings);
  const directUrl = directChartUrl(config, settings.PULSE_IMAGE_HOSTS);
  const isShown = (pulse: ReadPulse) =>
    settings.PULSE_IMAGES === 'proxy' ? hosts.allowed(pulse.imageUrl) !== undefined : directUrl(pulse) !== null;
  return (pulse) => (pulse.imageUrl === null || isShown(pulse) ? undefined : hosts.refusalOf(pulse.imageUrl));
}

/** The hosts of cached charts whose address isn't allowed. Hosts with the most charts come first. */
export function refusedCharts(
  cache: Pick<Core['cache'], 'sourceIds' | 'peek'>,
  refusalOf: ReturnType<typeof chartRefusals>,
): RefusedCharts[] {
  const byHost = new Map<string, RefusedCharts>();
  for (const sourceId of cache.sourceIds) {
    const pulse = cache.peek(sourceId)?.value.pulse;
    const refusal = pulse ? refusalOf(pulse) : undefined;
    if (refusal === undefined) continue;
    const known = byHost.get(refusal.host) ?? { ...refusal, charts: 0 };
    byHost.set(refusal.host, { ...known, charts: known.charts + 1 });
  }
  return [...byHost.values()].toSorted((a, b) => b.charts - a.charts);
}

export function refusalGauges(refused: readonly RefusedCharts[]): Gauges {
  const count = refused.reduce((sum, { charts }) => sum + charts, 0);
  return { charts_refused: ['How many charts have an address that is not allowed, such as an http: address', count] };
}

/** The maximum number of hosts for which refused charts are reported as a separate problem. */
const MAX_HOSTS = 5;

/** The problems of the hosts whose charts are refused. */
export function refusalProblems(refused: readonly RefusedCharts[]): Problem[] {
  return refused.slice(0, MAX_HOSTS).map(({ charts, ...refusal }) => {
    const [headline, advice] = chartRefusalWords(refusal, charts);
    return { code: 'chart_refused', level: 'degraded', headline, advice, host: refusal.host };
  });
}

/** The message about charts whose address is not allowed. */
export function chartRefusalWords({ host, reason }: ChartRefusal, count: number): readonly [string, string] {
  const what = count === 1 ? 'A chart isn’t' : `${count} charts aren’t`;
  const where = host === 'none' ? '' : ` on ${host}`;
  const [why, advice] = CHART_REFUSALS[reason];
  return [`${what} shown, because the address${where} ${why}. Readers see only the text.`, advice];
}

const CHART_REFUSALS: Readonly<Record<ChartRefusal['reason'], readonly [why: string, advice: string]>> = {
  http: [
    'begins with http:',
    'Ask the operator of the service for https: addresses. Charts from a service on a private network may be http: with PULSE_IMAGES=proxy and PULSE_ALLOW_HTTP_UPSTREAM.',
  ],
  'not-listed': ['is not in PULSE_IMAGE_HOSTS', 'If you trust that host, add it to PULSE_IMAGE_HOSTS and restart.'],
  'not-public': [
    'is not a public https: address on port 443',
    'Ask the operator of the service to use a public https: address on port 443. With PULSE_IMAGES=proxy, PULSE_IMAGE_HOSTS can allow another port on a public host.',
  ],
};
