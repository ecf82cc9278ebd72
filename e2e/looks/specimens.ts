import { fullPulse } from '@pulse-card/contract/examples';
import { FakeBff, pulseOf } from '@pulse-card/testkit/fakes';
import type { ListedSource, Pulse } from '@pulse-card/widget';
import { chartFile, storyOf } from '@pulse-card/demo/data/story';

/** The current time in every screenshot. */
export const NOW = new Date('2026-05-08T12:00:00.000Z');

/** The URL that charts are loaded from. */
export const CHARTS_ORIGIN = 'https://charts.test';

/** The BFF's URL. This BFF never responds to requests under the `SILENT` path and is down for requests under `DOWN`. */
export const BFF_ORIGIN = 'https://pulse.test';
export const SILENT = '/silent';
export const DOWN = '/down';

/** A card in one state. */
export interface Specimen {
  readonly title: string;
  readonly state: 'loading' | 'ready' | 'stale' | 'empty' | 'error';
  readonly sourceId: string;
  readonly baseUrl?: string;
  readonly open?: boolean;
}

/** A card in each state that readers can see. */
export const SPECIMENS: readonly Specimen[] = [
  { title: 'Ready', state: 'ready', sourceId: 'src_usual' },
  { title: 'Loading', state: 'loading', sourceId: 'src_usual', baseUrl: BFF_ORIGIN + SILENT },
  { title: 'Earlier version', state: 'stale', sourceId: 'src_stale' },
  { title: 'No pulse yet', state: 'empty', sourceId: 'src_empty' },
  { title: 'Error, worth another try', state: 'error', sourceId: 'src_usual', baseUrl: BFF_ORIGIN + DOWN },
  { title: 'DEGRADED', state: 'ready', sourceId: 'src_degraded' },
  { title: 'BROKEN', state: 'ready', sourceId: 'src_broken' },
  { title: 'BROKEN, no pulse yet', state: 'empty', sourceId: 'src_broken_empty' },
  { title: 'Permanent error', state: 'error', sourceId: 'src_unknown' },
  { title: 'No chart', state: 'ready', sourceId: 'src_no_chart' },
  { title: 'A chart that does not load', state: 'ready', sourceId: 'src_lost_chart' },
  { title: 'Long name, long sentence', state: 'ready', sourceId: 'src_long' },
  { title: 'Nothing but a run', state: 'ready', sourceId: 'src_bare' },
  { title: 'Ready, unfolded', state: 'ready', sourceId: 'src_jobs', open: true },
];

const employment = storyOf('src_us_employment');
const seattleRain = storyOf('src_seattle_rain');
const [jobs] = employment.editions;
const [rain] = seattleRain.editions;

/** The chart files, keyed by path. Most cards show the rain chart, because an image of flat bars is a small file. */
export const CHARTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ '/jobs.png': jobs, '/rain.png': rain }).flatMap(([path, edition]) =>
    edition === undefined ? [] : [[path, chartFile(edition)]],
  ),
);

const PULSE: Partial<Pulse> = {
  jobRunId: fullPulse.jobRunId,
  sourceName: seattleRain.name,
  completedAt: '2026-05-08T10:00:00.000Z',
  imageUrl: `${CHARTS_ORIGIN}/rain.png`,
  aiSummaryShort: rain?.short ?? null,
  aiSummaryLong: rain?.long ?? null,
};

/** How some sources' pulses differ from the others, keyed by ID. */
const PULSES: Readonly<Record<string, Partial<Pulse>>> = {
  src_stale: { completedAt: '2026-05-05T10:00:00.000Z' },
  src_jobs: {
    sourceName: employment.name,
    completedAt: '2026-05-07T09:00:00.000Z',
    imageUrl: `${CHARTS_ORIGIN}/jobs.png`,
    aiSummaryShort: jobs?.short ?? null,
    aiSummaryLong: jobs?.long ?? null,
  },
  src_no_chart: { imageUrl: null },
  src_lost_chart: { imageUrl: `${CHARTS_ORIGIN}/lost.png` },
  src_long: {
    sourceName: 'Seasonally adjusted payrolls outside of agriculture, all industries and regions',
    aiSummaryShort: `${rain?.short} ${rain?.short} ${rain?.short}`,
  },
  src_bare: { sourceName: null, completedAt: null, imageUrl: null, aiSummaryShort: null, aiSummaryLong: null },
  src_arabic: {
    sourceName: 'إيرادات الربع الثاني',
    aiSummaryShort: 'ارتفعت الإيرادات بنسبة 12٪ في الربع الثاني لتبلغ 143.1 مليون، وهو أعلى مستوى منذ عام 2008.',
    aiSummaryLong:
      'ارتفعت **الإيرادات** في كل شهر من أشهر الربع.\n\n- الأكثر: مايو\n- الأقل: يوليو\n\nوكان العام الماضي *أبطأ* من ذلك.',
  },
};

/** How some sources differ from the others in the list, keyed by ID. The others are active. */
const SOURCES: Readonly<Record<string, Partial<ListedSource>>> = {
  src_degraded: { status: 'DEGRADED' },
  src_broken: { status: 'BROKEN' },
  src_empty: { status: 'PENDING', name: 'Store revenue' },
  src_broken_empty: { status: 'BROKEN', name: 'Store revenue' },
  src_bare: { name: null },
};

/** The list of sources, with every possible status, and with all fields that an operator can expose. */
const LISTED: readonly ListedSource[] = [
  { id: 'src_usual', name: seattleRain.name, provider: 'GOOGLE', status: 'ACTIVE', connectionCount: 3 },
  { id: 'src_stale', name: 'Pipeline', provider: 'HUBSPOT', status: 'DEGRADED', connectionCount: 1 },
  { id: 'src_broken', name: 'Orders', provider: 'SHOPIFY', status: 'BROKEN', connectionCount: 12 },
  { id: 'src_empty', name: 'Store revenue', provider: 'GOOGLE', status: 'PENDING', connectionCount: 0 },
  { id: 'src_bare', name: null, provider: 'QUICKBOOKS', status: 'DRAFT' },
].map((source, at) => (at < 3 ? { ...source, link: `https://dashboard.test/sources/${source.id}` } : source));

/** The BFF to request these sources from. A source's ID indicates what kind of source it is. */
export function bffOf(ids: readonly string[]): FakeBff {
  const known = ids.filter((id) => id !== 'src_unknown');
  const bff = new FakeBff({
    sources: known.map((id) => ({ id, provider: 'GOOGLE', status: 'ACTIVE', name: seattleRain.name, ...SOURCES[id] })),
    pulses: known.filter((id) => !id.endsWith('_empty')).map((id) => pulseOf(id, { ...PULSE, ...PULSES[id] })),
  });
  bff.goStale('src_stale');
  return bff;
}

/** The BFF that responds to requests from a board. */
export const boardBff: FakeBff = new FakeBff({ sources: LISTED });
