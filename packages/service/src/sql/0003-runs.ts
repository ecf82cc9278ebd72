import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../database/dialect.ts';

/** Runs and the charts they rendered. */
export function createRuns({ text, bytes }: ColumnTypes): Migration {
  return {
    async up(db) {
      await db.schema
        .createTable('charts')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('png', bytes, (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('runs')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('connection_id', text, (column) => column.notNull().references('connections.id'))
        .addColumn('status', text, (column) => column.notNull())
        .addColumn('source_name', text)
        .addColumn('completed_at', text)
        .addColumn('chart_id', text, (column) => column.references('charts.id'))
        .addColumn('ai_summary_short', text)
        .addColumn('ai_summary_long', text)
        .addColumn('delivery_link', text)
        .execute();
      await db.schema
        .createIndex('runs_of_connection')
        .on('runs')
        .columns(['connection_id', 'status', 'completed_at'])
        .execute();
    },
  };
}
