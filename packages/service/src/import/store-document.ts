import type { Transaction } from 'kysely';
import type { Database } from '../sql/database.ts';
import type { Tables } from '../sql/tables.ts';
import type { ImportDocument } from './document-schema.ts';
import type { Chart } from './read-charts.ts';

/** The number of rows per statement. */
const BATCH = 200;
/** The number of charts per statement. Each may be large. */
const CHART_BATCH = 4;

/**
 * Stores a whole document in one transaction. Entries with the same ID are replaced, so importing a document twice has
 * the same result as importing it once.
 */
export async function storeDocument(
  db: Database,
  document: ImportDocument,
  charts: ReadonlyMap<string, Chart>,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await storeOwners(tx, document);
    await storeSources(tx, document);
    await storeCharts(tx, [...charts.values()]);
    await storeRuns(tx, document, charts);
  });
}

type Tx = Transaction<Tables>;

async function storeOwners(tx: Tx, { accounts, organizations }: ImportDocument): Promise<void> {
  for (const rows of batchesOf(accounts, BATCH)) {
    await tx
      .insertInto('accounts')
      .values(rows)
      .onConflict((on) => on.column('id').doUpdateSet((eb) => ({ email: eb.ref('excluded.email') })))
      .execute();
  }
  for (const rows of batchesOf(organizations, BATCH)) {
    await tx
      .insertInto('organizations')
      .values(rows)
      .onConflict((on) =>
        on.column('id').doUpdateSet((eb) => ({ name: eb.ref('excluded.name'), slug: eb.ref('excluded.slug') })),
      )
      .execute();
  }
}

async function storeSources(tx: Tx, { sources, connections }: ImportDocument): Promise<void> {
  for (const rows of batchesOf(sources, BATCH)) {
    await tx
      .insertInto('sources')
      .values(rows.map(asSourceRow))
      .onConflict((on) =>
        on.column('id').doUpdateSet((eb) => ({
          account_id: eb.ref('excluded.account_id'),
          organization_id: eb.ref('excluded.organization_id'),
          name: eb.ref('excluded.name'),
          provider: eb.ref('excluded.provider'),
          status: eb.ref('excluded.status'),
          updated_at: eb.ref('excluded.updated_at'),
          archived: eb.ref('excluded.archived'),
        })),
      )
      .execute();
  }
  for (const rows of batchesOf(connections, BATCH)) {
    await tx
      .insertInto('connections')
      .values(rows.map(({ id, sourceId }) => ({ id, source_id: sourceId })))
      .onConflict((on) => on.column('id').doUpdateSet((eb) => ({ source_id: eb.ref('excluded.source_id') })))
      .execute();
  }
}

async function storeCharts(tx: Tx, charts: readonly Chart[]): Promise<void> {
  // Equal bytes have equal IDs, so two paths may refer to the same chart.
  const distinct = [...new Map(charts.map((chart) => [chart.id, chart])).values()];
  for (const rows of batchesOf(distinct, CHART_BATCH)) {
    await tx
      .insertInto('charts')
      .values(rows)
      .onConflict((on) => on.column('id').doNothing())
      .execute();
  }
}

async function storeRuns(tx: Tx, { runs }: ImportDocument, charts: ReadonlyMap<string, Chart>): Promise<void> {
  for (const rows of batchesOf(runs, BATCH)) {
    await tx
      .insertInto('runs')
      .values(rows.map((run) => asRunRow(run, charts)))
      .onConflict((on) =>
        on.column('id').doUpdateSet((eb) => ({
          connection_id: eb.ref('excluded.connection_id'),
          status: eb.ref('excluded.status'),
          source_name: eb.ref('excluded.source_name'),
          completed_at: eb.ref('excluded.completed_at'),
          chart_id: eb.ref('excluded.chart_id'),
          ai_summary_short: eb.ref('excluded.ai_summary_short'),
          ai_summary_long: eb.ref('excluded.ai_summary_long'),
          delivery_link: eb.ref('excluded.delivery_link'),
        })),
      )
      .execute();
  }
}

function asSourceRow({ accountId, organizationId, updatedAt, archived, ...same }: ImportDocument['sources'][number]) {
  return {
    ...same,
    account_id: accountId,
    organization_id: organizationId,
    updated_at: updatedAt,
    archived: archived ? 1 : 0,
  };
}

function asRunRow(run: ImportDocument['runs'][number], charts: ReadonlyMap<string, Chart>) {
  return {
    id: run.id,
    connection_id: run.connectionId,
    status: run.status,
    source_name: run.sourceName,
    completed_at: run.completedAt,
    chart_id: run.image === null ? null : (charts.get(run.image)?.id ?? null),
    ai_summary_short: run.aiSummaryShort,
    ai_summary_long: run.aiSummaryLong,
    delivery_link: run.deliveryLink,
  };
}

function* batchesOf<Row>(rows: readonly Row[], size: number): Generator<Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}
