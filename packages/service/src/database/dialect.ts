import { type RawBuilder, sql } from 'kysely';

/** The two databases that the service runs on. */
export type DialectName = 'sqlite' | 'postgres';

/** All that migrations must know of a database beyond plain SQL. */
export interface ColumnTypes {
  /** Text that sorts by its bytes, so that both databases order alike. */
  text: RawBuilder<unknown>;
  bytes: RawBuilder<unknown>;
}

/** The column types of each database. */
export const COLUMN_TYPES: Readonly<Record<DialectName, ColumnTypes>> = {
  sqlite: { text: sql`text`, bytes: sql`blob` },
  postgres: { text: sql`text collate "C"`, bytes: sql`bytea` },
};
