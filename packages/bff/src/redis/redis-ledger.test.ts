import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { mostInAnyWindow } from '../testing/arrivals.ts';
import { describeWithRedis } from '../testing/instances.ts';
import { type RedisServer, startRedis } from '../testing/redis-server.ts';
import { type Mishap, runSharedLedgers, type SharedRunOptions } from '../testing/shared-ledger-run.ts';

/** More by a variable, for a long look. */
const RUNS = Number(process.env['PULSE_PROPERTY_RUNS'] ?? 12);

const calm: SharedRunOptions = {
  instances: 3,
  limit: 20,
  reserve: 5,
  windowMs: 10_000,
  callMs: 1_000,
  tripsMs: [100, 400, 900, 50],
  counting: 'sliding',
  hasHeaders: true,
  mishaps: [],
  forMs: 60_000,
};

const atMs = fc.integer({ min: 0, max: 45_000 });
const instance = fc.nat({ max: 2 });
const forMs = fc.integer({ min: 250, max: 20_000 });

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  fc.record({ kind: fc.constantFrom('flush' as const, 'evict' as const), atMs }),
  fc.record({ kind: fc.constant('clock' as const), atMs, byMs: fc.constantFrom(-300_000, -3_000, 3_000, 300_000) }),
  fc.record({ kind: fc.constantFrom('lost' as const, 'deaf' as const), atMs, forMs, instance }),
  fc.record({ kind: fc.constant('lost-for-all' as const), atMs, forMs }),
  fc.record({ kind: fc.constant('killed' as const), atMs, instance }),
);

describeWithRedis('RedisLedger', () => {
  let redis: RedisServer;
  before(async () => void (redis = await startRedis()));
  after(() => redis.close());

  describe('when nothing goes wrong', () => {
    it('spends what one instance would, and no more, in any window', async () => {
      const { arrivals, lostAtEnd } = await runSharedLedgers(redis, calm);
      assert.ok(mostInAnyWindow(arrivals, calm.windowMs) <= calm.limit - calm.reserve);
      assert.ok(arrivals.length >= 55, `only ${arrivals.length} calls in six windows of 15`);
      assert.equal(lostAtEnd, 0);
    });

    it('never lets two ask the same at once, and numbers each grant higher than the last', async () => {
      const { overlaps, fencesBack } = await runSharedLedgers(redis, calm);
      assert.deepEqual([overlaps, fencesBack], [0, 0]);
    });
  });

  describe('whatever goes wrong', () => {
    it('never spends more than the limit in any window, and joins again', { timeout: 600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(mishap, { minLength: 1, maxLength: 6 }),
          fc.array(fc.integer({ min: 20, max: 1_000 }), { minLength: 1, maxLength: 5 }),
          fc.constantFrom('sliding' as const, 'fixed' as const),
          fc.boolean(),
          async (mishaps, tripsMs, counting, hasHeaders) => {
            const run = await runSharedLedgers(redis, {
              ...calm,
              mishaps,
              tripsMs,
              counting,
              hasHeaders,
              forMs: 80_000,
            });
            assert.ok(mostInAnyWindow(run.arrivals, calm.windowMs) <= calm.limit);
            assert.equal(run.lostAtEnd, 0);
          },
        ),
        { seed: 1, numRuns: RUNS },
      );
    });
  });
});
