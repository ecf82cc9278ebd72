import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../database/dialect.ts';

/** Sources and the connections that use them. */
export function createSources({ text }: ColumnTypes): Migration {
  return {
    async up(db) {
      await db.schema
        .createTable('sources')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('account_id', text, (column) => column.notNull().references('accounts.id'))
        .addColumn('organization_id', text, (column) => column.notNull().references('organizations.id'))
        .addColumn('name', text)
        .addColumn('provider', text, (column) => column.notNull())
        .addColumn('status', text, (column) => column.notNull())
        .addColumn('updated_at', text, (column) => column.notNull())
        .addColumn('archived', 'integer', (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('connections')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('source_id', text, (column) => column.notNull().references('sources.id'))
        .execute();
      await db.schema
        .createIndex('sources_of_account')
        .on('sources')
        .columns(['account_id', 'archived', 'updated_at'])
        .execute();
      await db.schema.createIndex('connections_of_source').on('connections').column('source_id').execute();
    },
  };
}
