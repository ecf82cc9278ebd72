import { KEY_SCOPES, type KeyScope, keyScopeSchema } from '@pulse-card/contract';
import { findAccount } from '../accounts/accounts.ts';
import { systemClock } from '../clock.ts';
import { CommandError } from '../command-error.ts';
import { readDatabaseConfig } from '../config.ts';
import * as keys from '../keys/key-store.ts';
import { type Database, openExistingDatabase } from '../sql/database.ts';
import type { Output } from './print.ts';
import { UsageError } from './usage.ts';

/** The maximum lifetime of a key: ten years. */
const MAX_DAYS = 3_650;

/** The options for `keys create`. */
export interface CreateKeyOptions {
  account: string;
  scopes: string;
  expiresInDays: string;
}

/** Creates a key and prints it as a line on standard output. The key is never printed again. */
export async function createKey(env: NodeJS.ProcessEnv, options: CreateKeyOptions, output: Output): Promise<void> {
  const scopes = readScopes(options.scopes);
  const expiresInDays = readDays(options.expiresInDays);
  await withDatabase(env, async (db) => {
    const account = await findAccount(db, options.account);
    if (account === undefined) throw new CommandError('Can’t create a key: no account has the ID given in --account');
    const key = await keys.createKey(db, account.id, { scopes, expiresInDays });
    output.note(`Key ${key.id} of ${account.id}, for ${scopes.join(', ')}, expires in ${expiresInDays} days.`);
    output.note('It’s shown only once, and only its hash is stored:');
    output.result(key.text);
  });
}

/** Prints each key's ID, account, state, expiration date, and scopes. */
export async function printKeys(env: NodeJS.ProcessEnv, output: Output): Promise<void> {
  const listed = await withDatabase(env, (db) => keys.listKeys(db, systemClock.nowMs()));
  if (listed.length === 0) output.note('No keys yet. To create one, run: pulse-service keys create --account ID');
  for (const line of tableOf(listed)) output.result(line);
}

/** Revokes a key immediately, even for a running server. */
export async function revokeKey(env: NodeJS.ProcessEnv, id: string, output: Output): Promise<void> {
  const isKnown = await withDatabase(env, (db) => keys.revokeKey(db, id, systemClock.nowMs()));
  // The ID isn't repeated, because someone may have passed the whole key.
  if (!isKnown) throw new CommandError('Can’t revoke the key: no key has this ID (see: pulse-service keys list)');
  output.note(`Key ${id} is revoked.`);
}

/** The scopes in a comma-separated list. Throws `UsageError`. */
export function readScopes(raw: string): KeyScope[] {
  const words = raw.split(',').map((word) => word.trim());
  const scopes = keyScopeSchema.array().nonempty().safeParse(words);
  if (scopes.success) return [...new Set(scopes.data)];
  throw new UsageError(`Can’t create a key: --scopes must be a comma-separated list of ${KEY_SCOPES.join(' and ')}`);
}

/** The number of days for which a key is valid, which can be fractional. Throws `UsageError`. */
export function readDays(raw: string): number {
  const days = /^\d+(\.\d+)?$/.test(raw) ? Number(raw) : Number.NaN;
  if (days > 0 && days <= MAX_DAYS) return days;
  throw new UsageError(`Can’t create a key: --expires-in-days must be a number greater than 0 and at most ${MAX_DAYS}`);
}

async function withDatabase<Result>(env: NodeJS.ProcessEnv, use: (db: Database) => Promise<Result>): Promise<Result> {
  const { db } = await openExistingDatabase(readDatabaseConfig(env));
  try {
    return await use(db);
  } finally {
    await db.destroy();
  }
}

function tableOf(listed: readonly keys.ListedKey[]): string[] {
  if (listed.length === 0) return [];
  const rows = listed.map((key) => [key.id, key.accountId, key.state, key.expiresAt, key.scopes.join(',')]);
  const table = [['ID', 'ACCOUNT', 'STATE', 'EXPIRES', 'SCOPES'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
