import type { Database } from '../sql/database.ts';
import type { AccountRow } from '../sql/tables.ts';

/** An owner of sources and keys. */
export type Account = AccountRow;

/** The account with the given ID, or undefined. */
export async function findAccount(db: Database, id: string): Promise<Account | undefined> {
  return db.selectFrom('accounts').select(['id', 'email']).where('id', '=', id).executeTakeFirst();
}
