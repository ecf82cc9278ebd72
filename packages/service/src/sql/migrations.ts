import type { Migration } from 'kysely/migration';
import { COLUMN_TYPES, type DialectName } from '../database/dialect.ts';
import { createAccounts } from './0001-accounts.ts';
import { createSources } from './0002-sources.ts';
import { createRuns } from './0003-runs.ts';
import { createRateWindows } from './0004-rate-windows.ts';

/** Every migration under its file's name, which is also its place in the order. */
export function migrationsFor(dialect: DialectName): Record<string, Migration> {
  const types = COLUMN_TYPES[dialect];
  return {
    '0001-accounts': createAccounts(types),
    '0002-sources': createSources(types),
    '0003-runs': createRuns(types),
    '0004-rate-windows': createRateWindows(dialect),
  };
}
