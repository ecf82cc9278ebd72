import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabase, openExistingDatabase } from '../../sql/database.ts';
import { CommandError } from '../../command-error.ts';
import type { TestDatabases } from '../databases.ts';

/** The service's guarantees when several instances start with the same database. */
export function sharedStartPromises(databases: () => TestDatabases): void {
  describe('Instances that start', () => {
    it('migrate an empty database together', async () => {
      const database = await databases().fresh();
      const opened = await Promise.all([1, 2, 3].map(() => openDatabase(database)));
      for (const { db } of opened) assert.deepEqual(await db.selectFrom('runs').selectAll().execute(), []);
      await Promise.all(opened.map(({ db }) => db.destroy()));
    });

    it('create the tables, unlike commands that only read', async () => {
      const database = await databases().fresh();
      const reading = () => openExistingDatabase(database);
      await assert.rejects(reading, /DATABASE_URL\): its tables are missing/);
      await assert.rejects(reading, /its tables are missing/);
      const { db } = await openDatabase(database);
      await db.destroy();
      await (await reading()).db.destroy();
    });

    it('report that the database doesn’t exist', async () => {
      const { databaseUrl, dataDir } = await databases().fresh();
      await assert.rejects(
        openDatabase({ dataDir, databaseUrl: `${databaseUrl}_none` }),
        new CommandError('Can’t reach the database (DATABASE_URL): no such database'),
      );
    });
  });
}
