import type { EChartsOption } from 'echarts';
import type { ChartFolder } from '../chart/chart-folder.ts';
import { CASES, DEMO_ACCOUNT_ID, OTHER_ACCOUNT_ID, type CaseId } from '../demo-ids.ts';
import type { ImportRun, SourceRecord } from '../import-document.ts';
import { employment } from '../stories/employment.ts';
import { seattleRain } from '../stories/seattle-rain.ts';
import { entry } from '../words/measures.ts';
import { hoursBefore } from '../words/moments.ts';
import { caseTexts } from './case-texts.ts';

/** The organizations of the awkward sources: one with names, one without, and one in the other account. */
export const CASE_ORGANIZATION = { id: 'org_cases', name: 'Awkward Cases', slug: 'awkward-cases' };
export const NAMELESS_ORGANIZATION = { id: 'org_nameless', name: null, slug: null };
export const OTHER_ORGANIZATION = { id: 'org_other', name: 'Someone Else', slug: 'someone-else' };

/** A source in the other account, which the demo's key must not see. */
export const OTHER_SOURCE_ID = 'src_of_other_account';

/** These sources are older than the oldest listed source, so that the list, which has ten sources, omits them. */
const UPDATED_HOURS_AGO = 24 * 60;

/** The awkward sources with their runs, and one source in another account. */
export async function caseRecords(charts: ChartFolder, now: Date): Promise<SourceRecord[]> {
  const story = entry(employment.editions(), 0);
  const usual = await charts.add(story.chart);
  const rain = await charts.add(entry(seattleRain.editions(), 0).chart);
  const images: Partial<Record<CaseId, string | null>> = {
    src_case_null_image: null,
    src_case_null_all: null,
    src_case_hebrew: rain,
    src_case_square_chart: await charts.add(narrowed(story.chart), { width: 1000, height: 1000 }),
    src_case_tall_chart: await charts.add(narrowed(story.chart), { width: 900, height: 1600 }),
  };
  const texts = caseTexts();
  return [...CASES.map(({ id }, index) => record(id, index)), otherAccount(now)];

  function record(id: CaseId, index: number): SourceRecord {
    const { name = nameOf(id), short = story.short, long = story.long } = texts[id] ?? {};
    const run: ImportRun = {
      id: id.replace('src_', 'run_1_'),
      connectionId: id.replace('src_', 'con_1_'),
      status: 'SUCCESS',
      sourceName: id === 'src_case_renamed' ? 'The name at the time of the run' : name,
      completedAt: COMPLETED_NEVER.has(id) ? null : hoursBefore(now, index + 1),
      image: images[id] === undefined ? usual : images[id],
      aiSummaryShort: short,
      aiSummaryLong: long,
      deliveryLink: LINKLESS.has(id) ? null : `https://chat.open-data-desk.example/archives/${id}`,
    };
    return sourceRecord(id, name, hoursBefore(now, UPDATED_HOURS_AGO + index), runsOf(id, run));
  }
}

const COMPLETED_NEVER = new Set<CaseId>(['src_case_null_completed_at', 'src_case_null_all']);
const LINKLESS = new Set<CaseId>(['src_case_null_delivery_link', 'src_case_null_all']);
const NAMELESS = new Set<CaseId>(['src_case_null_organization', 'src_case_null_all']);

function nameOf(id: CaseId): string {
  return id === 'src_case_renamed' ? 'The current name' : employment.name;
}

function runsOf(id: CaseId, run: ImportRun): ImportRun[] {
  if (id === 'src_case_no_run') return [];
  if (id !== 'src_case_only_failed') return [run];
  const failed: ImportRun = {
    ...run,
    status: 'FAILED',
    image: null,
    aiSummaryShort: null,
    aiSummaryLong: null,
    deliveryLink: null,
  };
  return [failed, { ...failed, id: run.id.replace('run_1_', 'run_2_') }];
}

function sourceRecord(id: CaseId, name: string | null, updatedAt: string, runs: ImportRun[]): SourceRecord {
  const source = {
    id,
    accountId: DEMO_ACCOUNT_ID,
    organizationId: NAMELESS.has(id) ? NAMELESS_ORGANIZATION.id : CASE_ORGANIZATION.id,
    name,
    provider: 'GOOGLE',
    status: STATUSES[id] ?? ('ACTIVE' as const),
    updatedAt,
    archived: id === 'src_case_archived',
  };
  return { source, connections: [{ id: id.replace('src_', 'con_1_'), sourceId: id }], runs };
}

const STATUSES: Partial<Record<CaseId, SourceRecord['source']['status']>> = {
  src_case_no_run: 'PENDING',
  src_case_only_failed: 'BROKEN',
  src_case_status_pending: 'PENDING',
  src_case_status_draft: 'DRAFT',
  src_case_status_degraded: 'DEGRADED',
  src_case_status_broken: 'BROKEN',
};

function otherAccount(now: Date): SourceRecord {
  const updatedAt = hoursBefore(now, 1);
  const source = {
    id: OTHER_SOURCE_ID,
    accountId: OTHER_ACCOUNT_ID,
    organizationId: OTHER_ORGANIZATION.id,
    name: 'Not yours',
    provider: 'XERO',
    status: 'ACTIVE' as const,
    updatedAt,
    archived: false,
  };
  const words = { sourceName: 'Not yours', aiSummaryShort: 'Only the other account sees this.', aiSummaryLong: null };
  const run = {
    id: 'run_of_other_account',
    connectionId: 'con_of_other_account',
    status: 'SUCCESS' as const,
    completedAt: updatedAt,
    image: null,
    deliveryLink: null,
    ...words,
  };
  return { source, connections: [{ id: 'con_of_other_account', sourceId: OTHER_SOURCE_ID }], runs: [run] };
}

/** The same chart with fewer labels, for a narrower picture. */
function narrowed(chart: EChartsOption): EChartsOption {
  const years = new Map([
    ['2006-01-01', '2006'],
    ['2010-01-01', '2010'],
    ['2014-01-01', '2014'],
  ]);
  const formatter = (month: string) => years.get(month) ?? '';
  const xAxis = chart.xAxis as { axisLabel: object };
  return {
    ...chart,
    xAxis: {
      ...xAxis,
      axisLabel: { ...xAxis.axisLabel, formatter, interval: (_: number, month: string) => years.has(month) },
    },
  };
}
