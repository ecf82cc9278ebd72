import type { SourceStatus } from '@pulse-card/contract';

/** A run's outcome. */
export type RunStatus = 'SUCCESS' | 'FAILED';

/** An owner of sources and keys. */
export interface AccountRow {
  id: string;
  email: string;
}

/** The organization that a source belongs to inside an account. */
export interface OrganizationRow {
  id: string;
  name: string | null;
  slug: string | null;
}

/** A configured data provider. */
export interface SourceRow {
  id: string;
  account_id: string;
  organization_id: string;
  name: string | null;
  provider: string;
  status: SourceStatus;
  /** ISO 8601, UTC with milliseconds, so that it sorts as text. */
  updated_at: string;
  /** 0 or 1: SQLite has no booleans. */
  archived: number;
}

/** A delivery schedule. */
export interface ConnectionRow {
  id: string;
  source_id: string;
}

/** A rendered chart, stored under the digest of its bytes. */
export interface ChartRow {
  id: string;
  png: Buffer;
}

/** One delivery by a connection. */
export interface RunRow {
  id: string;
  connection_id: string;
  status: RunStatus;
  /** The source's display name at the time of the run. */
  source_name: string | null;
  completed_at: string | null;
  chart_id: string | null;
  ai_summary_short: string | null;
  ai_summary_long: string | null;
  delivery_link: string | null;
}

/** An API key, without its secret. */
export interface ApiKeyRow {
  id: string;
  account_id: string;
  /** SHA-256 of the whole key, in hex. */
  digest: string;
  /** Scopes, separated by spaces. */
  scopes: string;
  created_at: string;
  expires_at: string;
  revoked_at: string | null;
}

/** The calls that one caller made in the last window (PostgreSQL only). */
export interface RateWindowRow {
  caller: string;
  /** Unix times in milliseconds, oldest first. */
  calls: number[];
  granted: boolean;
}

/** Every table of the service. */
export interface Tables {
  accounts: AccountRow;
  organizations: OrganizationRow;
  sources: SourceRow;
  connections: ConnectionRow;
  charts: ChartRow;
  runs: RunRow;
  api_keys: ApiKeyRow;
  rate_windows: RateWindowRow;
}
