import { findAccount } from '../accounts/account.ts';
import { systemClock } from '../clock.ts';
import { CommandRefused } from '../command-refused.ts';
import { issueKey } from '../keys/issue-key.ts';
import { readDays, readScopes } from '../keys/key-options.ts';
import { type ListedKey, listKeys } from '../keys/list-keys.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { printNote, printResult } from './print.ts';
import { withDatabase } from './with-database.ts';

/** What `keys create` is told. */
export interface CreateKeyOptions {
  account: string;
  scopes: string;
  expiresInDays: string;
}

/** Prints a new key alone on a line of standard output, once. */
export async function createKey(env: NodeJS.ProcessEnv, options: CreateKeyOptions): Promise<void> {
  const scopes = readScopes(options.scopes);
  const expiresInDays = readDays(options.expiresInDays);
  await withDatabase(env, async (db) => {
    const account = await findAccount(db, options.account);
    if (account === undefined) throw new CommandRefused('Cannot create a key: --account names no account');
    const key = await issueKey(db, account.id, { scopes, expiresInDays });
    printNote(`Key ${key.id} of ${account.id}, for ${scopes.join(', ')}, expires in ${expiresInDays} days.`);
    printNote('It is shown this once and stored only as a hash:');
    printResult(key.text);
  });
}

/** Prints what may be known of every key. */
export async function printKeys(env: NodeJS.ProcessEnv): Promise<void> {
  const keys = await withDatabase(env, (db) => listKeys(db, systemClock.nowMs()));
  if (keys.length === 0) printNote('There are no keys yet: pulse-service keys create --account ID');
  for (const line of tableOf(keys)) printResult(line);
}

/** Ends a key at once, also for a server that runs. */
export async function endKey(env: NodeJS.ProcessEnv, id: string): Promise<void> {
  const known = await withDatabase(env, (db) => revokeKey(db, id, systemClock.nowMs()));
  // The id is not repeated: someone may have given the whole key.
  if (!known) throw new CommandRefused('Cannot revoke the key: no key has this id (see: pulse-service keys list)');
  printNote(`Key ${id} is revoked.`);
}

function tableOf(keys: readonly ListedKey[]): string[] {
  const rows = keys.map((key) => [key.id, key.accountId, key.state, key.expiresAt, key.scopes.join(',')]);
  if (rows.length === 0) return [];
  const table = [['ID', 'ACCOUNT', 'STATE', 'EXPIRES', 'SCOPES'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
