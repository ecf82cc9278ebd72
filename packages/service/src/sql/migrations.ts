import { type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The two databases that the service runs on. */
export type DialectName = 'sqlite' | 'postgres';

/** Column types that differ between the databases. */
interface ColumnTypes {
  /** Text that sorts by its bytes, so that both databases use the same order. */
  text: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
}

const COLUMN_TYPES: Readonly<Record<DialectName, ColumnTypes>> = {
  sqlite: { text: sql`text`, bytes: sql`blob` },
  postgres: { text: sql`text collate "C"`, bytes: sql`bytea` },
};

/** Every migration by name. The names determine the order. */
export function migrationsFor(dialect: DialectName): Record<string, Migration> {
  const types = COLUMN_TYPES[dialect];
  return {
    '0001-accounts': createAccounts(types),
    '0002-sources': createSources(types),
    '0003-runs': createRuns(types),
    '0004-rate-windows': createRateWindows(dialect),
  };
}

/** Accounts, organizations, and the accounts' keys. */
function createAccounts({ text }: ColumnTypes): Migration {
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

/** Sources and the connections that use them. */
function createSources({ text }: ColumnTypes): Migration {
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

/** Runs and the charts they rendered. */
function createRuns({ text, bytes }: ColumnTypes): Migration {
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

/**
 * The rate windows that several instances share. A SQLite database belongs to one process, which counts in memory. The
 * table is unlogged, because every call writes to it and its data is useful for at most a minute after a crash.
 */
function createRateWindows(dialect: DialectName): Migration {
  return {
    async up(db) {
      if (dialect !== 'postgres') return;
      await sql`create unlogged table rate_windows (
        caller text collate "C" primary key,
        calls double precision[] not null,
        granted boolean not null
      )`.execute(db);
    },
  };
}
