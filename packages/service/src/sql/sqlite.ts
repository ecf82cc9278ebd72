import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely';

/** How long a command waits for another process to finish writing, in milliseconds. */
const BUSY_TIMEOUT_MS = 5_000;

/** How long to wait before trying again, in milliseconds. */
const RETRY_MS = 20;

/** Readable only by its owner. */
const OWNER_ONLY = 0o700;

/** The database file in a data folder. */
export function sqliteFile(dataDir: string): string {
  return join(dataDir, 'pulse.sqlite');
}

/** The SQLite database in `dataDir`, which is created if it is missing. */
export function sqliteDialect(dataDir: string): Dialect {
  return new EagerSqliteDialect({
    database: async () => {
      // Accessible only to its owner, because it contains accounts' private data.
      makeFolder(dataDir);
      const database = new Database(sqliteFile(dataDir), { timeout: BUSY_TIMEOUT_MS });
      // The server can continue to read while a command writes.
      await useWriteAheadLog(database);
      database.pragma('synchronous = NORMAL');
      database.pragma('foreign_keys = ON');
      return database;
    },
  });
}

/**
 * Processes that change a new database's mode at the same time block each other, regardless of their timeouts. One of
 * them retries.
 */
async function useWriteAheadLog(database: Database.Database): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += RETRY_MS) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      const isBusy = error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY';
      if (!isBusy || waitedMs >= BUSY_TIMEOUT_MS) throw error;
      await pause(RETRY_MS);
    }
  }
}

/**
 * Creates a folder and its missing parents. Throws the file system's own error. Creates one level at a time, because
 * Node's recursive `mkdir` never returns if the file system doesn't allow new files, as under `/proc`.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: OWNER_ONLY });
  } catch (error) {
    // Another process might have created it first.
    if (!existsSync(folder)) throw error;
  }
}

/** Starts transactions as a writer, because a transaction that starts by reading can't wait for its turn to write. */
class EagerSqliteDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;

  constructor(config: SqliteDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new EagerSqliteDriver(this.#config);
  }

  override createAdapter(): DialectAdapter {
    return new TransactionalSqliteAdapter();
  }
}

/** SQLite can roll back a `create table` like any other change, but the library doesn't rely on that. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class EagerSqliteDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}
