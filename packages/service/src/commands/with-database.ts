import { readDatabaseConfig } from '../config.ts';
import { type Database, openDatabase } from '../database/open-database.ts';

/** Opens the database that the environment names for the time that `work` takes. */
export async function withDatabase<Result>(
  env: NodeJS.ProcessEnv,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  const { db } = await openDatabase(readDatabaseConfig(env));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
