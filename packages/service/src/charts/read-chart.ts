import type { Database } from '../database/open-database.ts';

/** The bytes of a chart, or undefined. */
export async function readChart(db: Database, chartId: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('charts').select('png').where('id', '=', chartId).executeTakeFirst();
  return row?.png;
}
