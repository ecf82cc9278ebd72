import { SOURCE_STATUSES, type SourceStatus } from '@pulse-card/contract';
import { AWKWARD_TEXTS } from './awkward-texts.ts';
import { DEMO_ACCOUNT_ID } from './demo-ids.ts';
import type { ImportRun, SourceRecord } from './import-document.ts';
import { hoursBefore } from './moments.ts';
import { storyOf } from './story.ts';

/** The organizations of the awkward sources. */
export const CASE_ORGANIZATION = { id: 'org_cases', name: 'Awkward Cases', slug: 'awkward-cases' };
export const NAMELESS_ORGANIZATION = { id: 'org_nameless', name: null, slug: null };

/** What makes a source awkward. Everything else matches the US employment source. */
interface Case {
  readonly status?: SourceStatus;
  readonly organizationId?: string;
  /** The outcomes of the source's runs, newest first. @default one success */
  readonly outcomes?: readonly ImportRun['status'][];
  readonly run?: Partial<ImportRun>;
}

const NOTHING = { image: null, aiSummaryShort: null, aiSummaryLong: null, deliveryLink: null };

/** Every awkward source in the demo account, keyed by the last part of its ID. */
const CASES: Readonly<Record<string, Case>> = {
  no_run: { status: 'PENDING', outcomes: [] },
  only_failed: { status: 'BROKEN', outcomes: ['FAILED', 'FAILED'], run: NOTHING },
  null_name: { run: { sourceName: null } },
  null_completed_at: { run: { completedAt: null } },
  null_image: { run: { image: null } },
  null_short: { run: { aiSummaryShort: null } },
  null_long: { run: { aiSummaryLong: null } },
  null_delivery_link: { run: { deliveryLink: null } },
  null_all: { organizationId: NAMELESS_ORGANIZATION.id, run: { ...NOTHING, sourceName: null, completedAt: null } },
  ...Object.fromEntries(SOURCE_STATUSES.map((status) => [`status_${status.toLowerCase()}`, { status }])),
  ...Object.fromEntries(
    AWKWARD_TEXTS.map(({ id, name, short, long }) => [
      id,
      { run: { sourceName: name, aiSummaryShort: short, aiSummaryLong: long } },
    ]),
  ),
};

/** The value of `PULSE_SOURCES` for a BFF that shows the whole demo: the listed sources plus the awkward ones. */
export const DEMO_PULSE_SOURCES: string = ['listed', ...Object.keys(CASES).map((name) => `src_case_${name}`)].join(',');

/** The awkward sources are older than the oldest listed source, so they don't make the list of ten. */
const UPDATED_HOURS_AGO = 24 * 60;

/** The awkward sources with their runs. */
export function caseRecords(now: Date): SourceRecord[] {
  const { name: sourceName, editions } = storyOf('src_us_employment');
  const [latestEdition] = editions;
  return Object.entries(CASES).map(
    ([name, { status, organizationId, outcomes = ['SUCCESS'] as const, run }], index) => {
      const usual = {
        sourceName,
        completedAt: hoursBefore(now, index + 1),
        image: latestEdition?.chart ?? null,
        aiSummaryShort: latestEdition?.short ?? null,
        aiSummaryLong: latestEdition?.long ?? null,
        deliveryLink: `https://chat.open-data-desk.example/archives/src_case_${name}`,
      };
      const latest = { ...usual, ...run };
      const source = {
        id: `src_case_${name}`,
        accountId: DEMO_ACCOUNT_ID,
        organizationId: organizationId ?? CASE_ORGANIZATION.id,
        name: latest.sourceName,
        provider: 'GOOGLE',
        status: status ?? 'ACTIVE',
        updatedAt: hoursBefore(now, UPDATED_HOURS_AGO + index),
        archived: false,
      };
      const connectionId = `con_1_case_${name}`;
      const runs = outcomes.map((outcome, at) => ({
        ...latest,
        id: `run_${at + 1}_case_${name}`,
        connectionId,
        status: outcome,
      }));
      return { source, connections: [{ id: connectionId, sourceId: source.id }], runs };
    },
  );
}
