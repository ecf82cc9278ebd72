import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { DatabaseConfig } from '../config.ts';
import { migrationsFor } from '../sql/migrations.ts';
import { StartFailed } from '../start-failed.ts';
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

const FAULT_WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file is in its place',
  ENOTDIR: 'part of the path is not a folder',
  ENOENT: 'no such path',
  ENOSPC: 'no space left',
  SQLITE_CANTOPEN: 'the database file cannot be opened',
  SQLITE_NOTADB: 'the file in it is not a database',
  SQLITE_READONLY: 'the database file is read-only',
  SQLITE_BUSY: 'another process keeps it locked',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'host unreachable',
  '28P01': 'user name or password refused',
  '28000': 'user refused',
  '3D000': 'no such database',
};

/** One line for a terminal, without the address, which holds a password; what is no known fault is thrown on. */
function openFault(dialect: DialectName, error: unknown): string {
  const words = FAULT_WORDS[faultCode(error)] ?? (timedOut(error) ? 'no answer in time' : undefined);
  if (words === undefined) throw error;
  return dialect === 'sqlite'
    ? `Cannot open the data folder (PULSE_DATA_DIR): ${words}`
    : `Cannot reach the database (DATABASE_URL): ${words}`;
}

/** The code of a fault; SQLite's extended codes are cut to the one that says it all. */
function faultCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return faultCode(error.errors[0]);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.replace(/^(SQLITE_[A-Z]+)_.*/, '$1');
}

function timedOut(error: unknown): boolean {
  return error instanceof Error && /timeout/i.test(error.message);
}
