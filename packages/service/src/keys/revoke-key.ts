import type { Database } from '../database/open-database.ts';

/** Ends a key at `nowMs`; false where no key has this id. A key that was revoked before keeps its first date. */
export async function revokeKey(db: Database, id: string, nowMs: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(new Date(nowMs).toISOString())) }))
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
