import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { SlidingWindowLog } from '../../http/sliding-window-log.ts';
import { SharedWindowLog } from '../../http/shared-window-log.ts';
import type { TestService } from '../test-service.ts';

/** The service's guarantees for the call log in PostgreSQL. */
export function sharedLogPromises(service: () => TestService): void {
  const rule = { limit: 3, windowMs: 1_000 };
  let callers = 0;
  const newCaller = () => `caller ${(callers += 1)}`;

  describe('SharedWindowLog', () => {
    it('makes the same decision about every call as the in-memory log', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 15 }), async (gaps) => {
          let now = 5_000;
          const shared = new SharedWindowLog(service().db, rule, { nowMs: () => now });
          const memory = new SlidingWindowLog(rule, () => now);
          const caller = newCaller();
          for (const gap of gaps) {
            now += gap;
            assert.deepEqual(await shared.take(caller), memory.take(caller));
          }
        }),
        { numRuns: 25 },
      );
    });

    it('uses the database’s clock, which all instances share', async () => {
      const log = new SharedWindowLog(service().db, { limit: 2, windowMs: 3_600_000 });
      const caller = newCaller();
      const states = [await log.take(caller), await log.take(caller), await log.take(caller)];
      assert.deepEqual(
        states.map(({ granted, used }) => [granted, used]),
        [
          [true, 1],
          [true, 2],
          [false, 2],
        ],
      );
      assert.ok(states.every(({ resetInMs }) => resetInMs > 3_000_000 && resetInMs <= 3_600_000));
    });

    it('forgets callers whose calls have all left the window', async () => {
      let now = 0;
      const log = new SharedWindowLog(service().db, rule, { nowMs: () => now });
      const gone = newCaller();
      await log.take(gone);
      now = 10_000;
      const busy = newCaller();
      for (let call = 0; call < 1_000; call += 1) await log.take(busy);
      assert.deepEqual(await callersAmong(service(), [gone, busy]), [busy]);
    });
  });
}

async function callersAmong(service: TestService, callers: string[]): Promise<string[]> {
  const rows = await service.db.selectFrom('rate_windows').select('caller').where('caller', 'in', callers).execute();
  return rows.map(({ caller }) => caller);
}
