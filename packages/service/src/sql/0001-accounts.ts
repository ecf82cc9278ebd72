import type { Migration } from 'kysely/migration';
import type { ColumnTypes } from '../database/dialect.ts';

/** Accounts, organizations, and the keys of accounts. */
export function createAccounts({ text }: ColumnTypes): Migration {
  return {
    async up(db) {
      await db.schema
        .createTable('accounts')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('email', text, (column) => column.notNull())
        .execute();
      await db.schema
        .createTable('organizations')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('name', text)
        .addColumn('slug', text)
        .execute();
      await db.schema
        .createTable('api_keys')
        .addColumn('id', text, (column) => column.primaryKey())
        .addColumn('account_id', text, (column) => column.notNull().references('accounts.id'))
        .addColumn('digest', text, (column) => column.notNull())
        .addColumn('scopes', text, (column) => column.notNull())
        .addColumn('created_at', text, (column) => column.notNull())
        .addColumn('expires_at', text, (column) => column.notNull())
        .addColumn('revoked_at', text)
        .execute();
    },
  };
}
