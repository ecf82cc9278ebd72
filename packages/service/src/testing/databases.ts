import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseConfig } from '../config.ts';
import { startPostgres } from './postgres.ts';

/** Creates empty databases of one kind for tests. */
export interface TestDatabases {
  fresh(): Promise<DatabaseConfig>;
  stop(): Promise<void>;
}

/** Empty SQLite databases, each in a separate folder. */
export async function sqliteDatabases(): Promise<TestDatabases> {
  const folders: string[] = [];
  return {
    async fresh() {
      const dataDir = mkdtempSync(join(tmpdir(), 'pulse-service-'));
      folders.push(dataDir);
      return { dataDir, databaseUrl: undefined };
    },
    async stop() {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Empty databases on one PostgreSQL server, which is started for these tests. */
export async function postgresDatabases(): Promise<TestDatabases> {
  const server = await startPostgres();
  return {
    async fresh() {
      return { dataDir: '.', databaseUrl: await server.createDatabase() };
    },
    stop: () => server.stop(),
  };
}
