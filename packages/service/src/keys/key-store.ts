import { timingSafeEqual } from 'node:crypto';
import { KEY_EXPIRES_IN_DAYS, KEY_SCOPES, type KeyScope } from '@pulse-card/contract';
import type { Account } from '../accounts/accounts.ts';
import { type Clock, systemClock } from '../clock.ts';
import type { Database } from '../sql/database.ts';
import type { ApiKeyRow } from '../sql/tables.ts';
import { generateKey, hashKey, type NewKey, parseKeyId } from './api-key.ts';

const DAY_MS = 86_400_000;

/** The settings for a new key. */
export interface CreateKeyOptions {
  /** @default every scope */
  scopes?: readonly KeyScope[];
  /** @default 90 */
  expiresInDays?: number;
  /** @default the machine's clock */
  clock?: Clock;
}

/** A valid key. */
export interface ValidKey {
  id: string;
  account: Account;
  scopes: ReadonlySet<KeyScope>;
}

/** The parts of a key that may be shown, excluding the key itself and its hash. */
export interface ListedKey {
  id: string;
  accountId: string;
  scopes: string[];
  createdAt: string;
  expiresAt: string;
  state: 'active' | 'expired' | 'revoked';
}

/** Used for comparison if there is no key, so that checking an unknown ID takes as long as checking a known one. */
const NO_HASH = Buffer.alloc(32);

/** Stores a new key for an account and returns the key, which can't be read again. */
export async function createKey(db: Database, accountId: string, options: CreateKeyOptions = {}): Promise<NewKey> {
  const { scopes = KEY_SCOPES, expiresInDays = KEY_EXPIRES_IN_DAYS, clock = systemClock } = options;
  const key = generateKey();
  const createdAtMs = clock.nowMs();
  await db
    .insertInto('api_keys')
    .values({
      id: key.id,
      account_id: accountId,
      digest: hashKey(key.text).toString('hex'),
      scopes: scopes.join(' '),
      created_at: new Date(createdAtMs).toISOString(),
      expires_at: new Date(createdAtMs + expiresInDays * DAY_MS).toISOString(),
      revoked_at: null,
    })
    .execute();
  return key;
}

/**
 * Returns the key for `text` at `nowMs`, or undefined if it is malformed, unknown, revoked, or expired. All strings go
 * through the same steps, so that the response time doesn't reveal the reason.
 */
export async function findValidKey(db: Database, text: string, nowMs: number): Promise<ValidKey | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.id', 'digest', 'scopes', 'expires_at', 'revoked_at', 'accounts.id as account_id', 'email'])
    .where('api_keys.id', '=', parseKeyId(text) ?? '')
    .executeTakeFirst();
  const stored = row === undefined ? NO_HASH : Buffer.from(row.digest, 'hex');
  const matches = timingSafeEqual(hashKey(text), stored);
  if (!matches || row === undefined || stateAt(row, nowMs) !== 'active') return undefined;
  return { id: row.id, account: { id: row.account_id, email: row.email }, scopes: scopesIn(row.scopes) };
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
    state: stateAt(row, nowMs),
  }));
}

/**
 * Revokes a key at `nowMs`. Returns false if no key has this ID. A key that was already revoked keeps its original
 * date.
 */
export async function revokeKey(db: Database, id: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(new Date(nowMs).toISOString())) }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A key stops working in the exact millisecond in which it expires. */
function stateAt(key: Pick<ApiKeyRow, 'expires_at' | 'revoked_at'>, nowMs: number): ListedKey['state'] {
  if (key.revoked_at !== null) return 'revoked';
  return nowMs < Date.parse(key.expires_at) ? 'active' : 'expired';
}

function scopesIn(stored: string): ReadonlySet<KeyScope> {
  const words = new Set(stored.split(' '));
  return new Set(KEY_SCOPES.filter((scope) => words.has(scope)));
}
