import type { Database } from '../database/open-database.ts';
import type { AccountRow } from '../database/tables.ts';

/** An owner of sources and keys. */
export type Account = AccountRow;

/** The account called `id`, or undefined. */
export async function findAccount(db: Database, id: string): Promise<Account | undefined> {
  return db.selectFrom('accounts').select(['id', 'email']).where('id', '=', id).executeTakeFirst();
}
