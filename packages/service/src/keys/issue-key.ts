import { KEY_EXPIRES_IN_DAYS, KEY_SCOPES, type KeyScope } from '@pulse-card/contract';
import { type Clock, systemClock } from '../clock.ts';
import type { Database } from '../database/open-database.ts';
import { keyDigest, makeKey, type NewKey } from './key-text.ts';

const DAY_MS = 86_400_000;

/** Settings of a new key. */
export interface IssueKeyOptions {
  /** @default every scope */
  scopes?: readonly KeyScope[];
  /** @default 90 */
  expiresInDays?: number;
  /** @default the machine's clock */
  clock?: Clock;
}

/** Stores a new key of an account and returns its text, which cannot be had again. */
export async function issueKey(db: Database, accountId: string, options: IssueKeyOptions = {}): Promise<NewKey> {
  const { scopes = KEY_SCOPES, expiresInDays = KEY_EXPIRES_IN_DAYS, clock = systemClock } = options;
  const key = makeKey();
  const createdAtMs = clock.nowMs();
  await db
    .insertInto('api_keys')
    .values({
      id: key.id,
      account_id: accountId,
      digest: keyDigest(key.text).toString('hex'),
      scopes: scopes.join(' '),
      created_at: new Date(createdAtMs).toISOString(),
      expires_at: new Date(createdAtMs + expiresInDays * DAY_MS).toISOString(),
      revoked_at: null,
    })
    .execute();
  return key;
}
