import { existsSync } from 'node:fs';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { CommandError } from '../command-error.ts';
import type { DatabaseConfig } from '../config.ts';
import { databaseErrorReason } from './database-error.ts';
import { type DialectName, migrationsFor } from './migrations.ts';
import { postgresDialect } from './postgres.ts';
import { sqliteDialect, sqliteFile } from './sqlite.ts';
import type { Tables } from './tables.ts';

/** The service's tables, on either database. */
export type Database = Kysely<Tables>;

/** An open database and its kind. */
export interface OpenDatabase {
  db: Database;
  dialect: DialectName;
}

/** Settings for `openDatabase()`. */
export interface OpenDatabaseOptions {
  /** Called with the error when an idle connection breaks. */
  onLost?: (error: Error) => void;
}

/** Opens the database that `config` specifies, creating it if it is missing, and migrates it. Throws `CommandError`. */
export function openDatabase(config: DatabaseConfig, { onLost }: OpenDatabaseOptions = {}): Promise<OpenDatabase> {
  return open(config, { onLost, prepare: migrate });
}

/** Opens an existing database that is up to date. Doesn't create anything. Throws `CommandError`. */
export async function openExistingDatabase(config: DatabaseConfig): Promise<OpenDatabase> {
  if (config.databaseUrl === undefined && !existsSync(sqliteFile(config.dataDir)))
    throw new CommandError(
      `Can’t open the data folder (PULSE_DATA_DIR): there is no database in ${config.dataDir}; \`pulse-service import\` and \`serve\` create one`,
    );
  return open(config, { prepare: requireMigrated });
}

/** Reads as little as possible. Fails if the database doesn't respond or lacks the service's tables. */
export async function pingDatabase(db: Database): Promise<void> {
  await db.selectFrom('accounts').select('id').limit(1).execute();
}

interface OpenOptions {
  onLost?: ((error: Error) => void) | undefined;
  prepare: (db: Database, dialect: DialectName) => Promise<void>;
}

async function open(config: DatabaseConfig, { onLost = () => {}, prepare }: OpenOptions): Promise<OpenDatabase> {
  const dialect: DialectName = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
  const db = new Kysely<Tables>({
    dialect:
      config.databaseUrl === undefined ? sqliteDialect(config.dataDir) : postgresDialect(config.databaseUrl, onLost),
  });
  try {
    await prepare(db, dialect);
  } catch (error) {
    await db.destroy().catch(() => {});
    throw new CommandError(openFailure(dialect, error));
  }
  return { db, dialect };
}

async function migrate(db: Database, dialect: DialectName): Promise<void> {
  if (dialect === 'postgres') return migrateToLatest(db, dialect);
  // In PostgreSQL, processes that start together take turns. In SQLite, a transaction around all migrations ensures
  // this.
  await db.transaction().execute((tx) => migrateToLatest(tx, dialect));
}

async function migrateToLatest(db: Database, dialect: DialectName): Promise<void> {
  const { error } = await migratorOf(db, dialect).migrateToLatest();
  if (error !== undefined) throw error;
}

async function requireMigrated(db: Database, dialect: DialectName): Promise<void> {
  const migrations = await migratorOf(db, dialect).getMigrations();
  if (migrations.some(({ executedAt }) => executedAt === undefined))
    throw new Error('its tables are missing or from an older version; `pulse-service serve` brings them up to date');
}

function migratorOf(db: Database, dialect: DialectName): Migrator {
  const migrations = migrationsFor(dialect);
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}

/** One line for a terminal, without the URL, because it contains a password. */
function openFailure(dialect: DialectName, error: unknown): string {
  const what =
    dialect === 'sqlite' ? 'Can’t open the data folder (PULSE_DATA_DIR)' : 'Can’t reach the database (DATABASE_URL)';
  return `${what}: ${databaseErrorReason(error)}`;
}
