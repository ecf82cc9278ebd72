import { timingSafeEqual } from 'node:crypto';
import { KEY_SCOPES, type KeyScope } from '@pulse-card/contract';
import type { Account } from '../accounts/account.ts';
import type { Database } from '../database/open-database.ts';
import { keyDigest, keyIdIn } from './key-text.ts';

/** Who a working key speaks for. */
export interface KeyHolder {
  keyId: string;
  account: Account;
  scopes: ReadonlySet<KeyScope>;
}

/** Compared with where there is no key, so that an unknown id takes the steps of a known one. */
const NO_DIGEST = Buffer.alloc(32);

/**
 * Who `text` speaks for at `nowMs`, or undefined for a key that is malformed, unknown, revoked or expired.
 * Every text takes the same steps, so that how long the answer takes tells nothing of the reason.
 */
export async function resolveKey(db: Database, text: string, nowMs: number): Promise<KeyHolder | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.id', 'digest', 'scopes', 'expires_at', 'revoked_at', 'accounts.id as account_id', 'email'])
    .where('api_keys.id', '=', keyIdIn(text) ?? '')
    .executeTakeFirst();
  const stored = row === undefined ? NO_DIGEST : Buffer.from(row.digest, 'hex');
  const matches = timingSafeEqual(keyDigest(text), stored);
  if (!matches || row === undefined || !isValidAt(row, nowMs)) return undefined;
  return { keyId: row.id, account: { id: row.account_id, email: row.email }, scopes: scopesIn(row.scopes) };
}

/** Says whether a stored key works at `nowMs`; it stops at the very millisecond of its expiry. */
export function isValidAt(key: { expires_at: string; revoked_at: string | null }, nowMs: number): boolean {
  return key.revoked_at === null && nowMs < Date.parse(key.expires_at);
}

function scopesIn(stored: string): ReadonlySet<KeyScope> {
  const words = new Set(stored.split(' '));
  return new Set(KEY_SCOPES.filter((scope) => words.has(scope)));
}
