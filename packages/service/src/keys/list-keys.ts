import type { Database } from '../database/open-database.ts';
import type { ApiKeyRow } from '../database/tables.ts';
import { isValidAt } from './resolve-key.ts';

/** A key as it may be shown: without its text or digest. */
export interface ListedKey {
  id: string;
  accountId: string;
  scopes: string[];
  createdAt: string;
  expiresAt: string;
  state: 'active' | 'expired' | 'revoked';
}

/** Every key, newest first, with its state at `nowMs`. */
export async function listKeys(db: Database, nowMs: number): Promise<ListedKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'account_id', 'scopes', 'created_at', 'expires_at', 'revoked_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    scopes: row.scopes.split(' '),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    state: stateOf(row, nowMs),
  }));
}

function stateOf(row: Pick<ApiKeyRow, 'expires_at' | 'revoked_at'>, nowMs: number): ListedKey['state'] {
  if (row.revoked_at !== null) return 'revoked';
  return isValidAt(row, nowMs) ? 'active' : 'expired';
}
