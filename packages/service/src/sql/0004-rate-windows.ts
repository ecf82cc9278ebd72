import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DialectName } from '../database/dialect.ts';

/**
 * The rate windows that several instances share. SQLite belongs to one process, which counts in memory.
 * Unlogged: a window outlives a crash by a minute at most, and is written with every call.
 */
export function createRateWindows(dialect: DialectName): Migration {
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
