import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { DatabaseConfig } from '../config.ts';
import { migrationsFor } from '../sql/migrations.ts';
import { StartFailed } from '../start-failed.ts';
import { databaseFault } from './database-fault.ts';
import type { DialectName } from './dialect.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

/** The service's tables, on either database. */
export type Database = Kysely<Tables>;

/** An open database and which of the two it is. */
export interface OpenDatabase {
  db: Database;
  dialect: DialectName;
}

/** Settings of `openDatabase()`. */
export interface OpenDatabaseOptions {
  /** Hears of idle connections that broke. @default nobody */
  onLost?: (error: Error) => void;
}

/** Opens the database that `config` names and brings its tables up to date. Throws `StartFailed`. */
export async function openDatabase(config: DatabaseConfig, options: OpenDatabaseOptions = {}): Promise<OpenDatabase> {
  const { onLost = () => {} } = options;
  const dialect: DialectName = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
  const db = new Kysely<Tables>({
    dialect:
      config.databaseUrl === undefined ? sqliteDialect(config.dataDir) : postgresDialect(config.databaseUrl, onLost),
  });
  try {
    await migrate(db, dialect);
  } catch (error) {
    await db.destroy().catch(() => {});
    throw new StartFailed(openFault(dialect, error));
  }
  return { db, dialect };
}

/** Reads next to nothing; fails when the database cannot answer or lacks the service's tables. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.selectFrom('accounts').select('id').limit(1).execute();
}

async function migrate(db: Database, dialect: DialectName): Promise<void> {
  if (dialect === 'postgres') return migrateTo(db, dialect);
  // PostgreSQL makes processes that start together take turns; in SQLite a transaction around all of it does.
  await db.transaction().execute((tx) => migrateTo(tx, dialect));
}

async function migrateTo(db: Database, dialect: DialectName): Promise<void> {
  const migrations = migrationsFor(dialect);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** One line for a terminal, without the address, which holds a password. */
function openFault(dialect: DialectName, error: unknown): string {
  const what =
    dialect === 'sqlite' ? 'Cannot open the data folder (PULSE_DATA_DIR)' : 'Cannot reach the database (DATABASE_URL)';
  return `${what}: ${databaseFault(error)}`;
}
