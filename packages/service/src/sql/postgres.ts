import { type Dialect, PostgresDialect } from 'kysely';
import pg from 'pg';

/**
 * How long to wait for a connection or a response, in milliseconds, so that a hung database doesn't block its callers.
 */
const DATABASE_TIMEOUT_MS = 5_000;

/** The PostgreSQL database at `url`. `onLost` is called when an idle connection breaks. */
export function postgresDialect(url: string, onLost: (error: Error) => void): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: DATABASE_TIMEOUT_MS,
    query_timeout: DATABASE_TIMEOUT_MS,
    application_name: 'pulse-service',
  });
  // Without a listener, a database restart would end the process.
  pool.on('error', onLost);
  return new PostgresDialect({ pool });
}
