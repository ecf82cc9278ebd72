import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { maxInAnyWindow, maxInCountedWindow } from '../testing/arrivals.ts';
import { describeWithRedis } from '../testing/instances.ts';
import { type RedisServer, startRedis } from '../testing/redis-server.ts';
import { type InjectedFault, runSharedBudgets, type SharedRunOptions } from '../testing/shared-budget-run.ts';

/** More runs by a variable. */
const RUNS = Number(process.env['PULSE_PROPERTY_RUNS'] ?? 12);

const calm: SharedRunOptions = {
  instances: 3,
  sources: 7,
  limit: 20,
  reserve: 5,
  windowMs: 10_000,
  callMs: 1_000,
  tripsMs: [100, 400, 900, 50],
  counting: 'sliding',
  hasHeaders: true,
  injectedFaults: [],
  forMs: 60_000,
};

const atMs = fc.integer({ min: 0, max: 45_000 });
const instance = fc.nat({ max: 2 });
const forMs = fc.integer({ min: 250, max: 20_000 });

const injectedFault: fc.Arbitrary<InjectedFault> = fc.oneof(
  fc.record({ kind: fc.constantFrom('flush' as const, 'evict' as const), atMs }),
  fc.record({ kind: fc.constant('clock' as const), atMs, byMs: fc.constantFrom(-300_000, -3_000, 3_000, 300_000) }),
  fc.record({ kind: fc.constant('rollback' as const), atMs, forMs }),
  fc.record({ kind: fc.constantFrom('lost' as const, 'deaf' as const), atMs, forMs, instance }),
  fc.record({ kind: fc.constant('lost-for-all' as const), atMs, forMs }),
  fc.record({ kind: fc.constant('killed' as const), atMs, instance }),
);

/**
 * Whether nobody may be left who knows of some calls: Redis forgot them, and so did the instance that made them. Then the
 * headers of the upstream are believed, which count in its own windows.
 */
function isSpendingForgotten(injectedFaults: readonly InjectedFault[]): boolean {
  const isForgotten = injectedFaults.some(({ kind }) => kind === 'flush' || kind === 'evict' || kind === 'rollback');
  return isForgotten && injectedFaults.some(({ kind }) => kind === 'killed');
}

describeWithRedis('RedisCallBudget', () => {
  let redis: RedisServer;
  before(async () => void (redis = await startRedis()));
  after(() => redis.close());

  describe('when nothing goes wrong', () => {
    it('spends what one instance would, and no more, in any window', async () => {
      const { arrivals, lostAtEnd } = await runSharedBudgets(redis, calm);
      assert.ok(maxInAnyWindow(arrivals, calm.windowMs) <= calm.limit - calm.reserve);
      assert.ok(arrivals.length >= 55, `only ${arrivals.length} calls in six windows of 15`);
      assert.equal(lostAtEnd, 0);
    });

    it('never lets two ask the same at once, and numbers each grant higher than the last', async () => {
      const { overlaps, fencingTokensBack } = await runSharedBudgets(redis, calm);
      assert.deepEqual([overlaps, fencingTokensBack], [0, 0]);
    });
  });

  describe('when Redis forgets, or its clock is set (T-32)', () => {
    const cases: Record<string, { readonly injectedFaults: readonly InjectedFault[] } & Partial<SharedRunOptions>> = {
      'it is emptied, its clock is set ahead and an instance is killed': {
        injectedFaults: [
          { kind: 'clock', atMs: 37_501, byMs: 300_000 },
          { kind: 'killed', atMs: 37_501, instance: 0 },
          { kind: 'flush', atMs: 0 },
        ],
        tripsMs: [20],
        hasHeaders: false,
      },
      'its clock is set ahead while nobody reaches it, and an instance is killed': {
        injectedFaults: [
          { kind: 'killed', atMs: 21_751, instance: 0 },
          { kind: 'clock', atMs: 16_501, byMs: 3_000 },
          { kind: 'lost-for-all', atMs: 16_501, forMs: 5_250 },
        ],
        sources: 20,
        tripsMs: [20],
      },
      'a new instance is the first to reach it after nobody did': {
        injectedFaults: [
          { kind: 'lost-for-all', atMs: 7_751, forMs: 16_500 },
          { kind: 'killed', atMs: 13_501, instance: 0 },
        ],
        tripsMs: [20],
        hasHeaders: false,
      },
      'a new instance is the first to reach it after nobody did, and its clock was set back by as long': {
        injectedFaults: [
          { kind: 'lost-for-all', atMs: 7_751, forMs: 20_000 },
          { kind: 'clock', atMs: 13_001, byMs: -6_000 },
          { kind: 'killed', atMs: 13_751, instance: 0 },
        ],
        tripsMs: [20],
        hasHeaders: false,
      },
      'it is restored from a snapshot': {
        injectedFaults: [{ kind: 'rollback', atMs: 12_000, forMs: 12_000 }],
        sources: 20,
        tripsMs: [20],
        hasHeaders: false,
      },
      'it is restored from a snapshot, and an instance is killed': {
        injectedFaults: [
          { kind: 'rollback', atMs: 12_000, forMs: 12_000 },
          { kind: 'killed', atMs: 24_000, instance: 0 },
        ],
        sources: 20,
        tripsMs: [20],
        hasHeaders: false,
      },
    };
    for (const [what, options] of Object.entries(cases))
      it(`keeps the limit: ${what}`, async () => {
        const { arrivals, lostAtEnd } = await runSharedBudgets(redis, { ...calm, ...options, forMs: 80_000 });
        assert.ok(maxInAnyWindow(arrivals, calm.windowMs) <= calm.limit, `${maxInAnyWindow(arrivals, calm.windowMs)}`);
        assert.equal(lostAtEnd, 0);
      });
  });

  describe('when somebody else writes into the account', () => {
    const LATER = '3900000000000';
    const WRITTEN_AT_MS = 20_000;
    const commands: [string, string, ...string[]][] = [
      ['HSET', 'state', 'warmUpUntil', LATER, 'holdUntil', LATER],
      ['HSET', 'state', 'probeUntil', LATER, 'holdUntil', LATER],
      ['HSET', 'state', 'pausedUntil', LATER],
      ['HSET', 'state', 'at', LATER],
      ['HSET', 'state', 'level', LATER],
      ['HSET', 'state', 'others', '60', 'othersUntil', LATER],
      ['HSET', 'state', 'now', '9e99', 'fencingToken', '9e99'],
      ['ZADD', 'calls', ...Array.from({ length: 30 }, (_, index) => [LATER, `call ${index}`]).flat()],
    ];
    for (const command of commands)
      it(`holds calls back for a window and what a call takes, no longer: ${command.slice(1, 3).join(' ')}`, async () => {
        // Longer than a window a 429 alone may pause them, and that is clamped to the longest pause.
        const forMs = command[2] === 'pausedUntil' ? 360_000 : 60_000;
        const written = { kind: 'written', atMs: WRITTEN_AT_MS, command } as const;
        const { arrivals, lostAtEnd } = await runSharedBudgets(redis, { ...calm, injectedFaults: [written], forMs });
        assert.ok(maxInAnyWindow(arrivals, calm.windowMs) <= calm.limit);
        assert.ok(
          arrivals.some((at) => at > forMs - calm.windowMs),
          `no call after ${arrivals.at(-1)} of ${forMs} ms`,
        );
        assert.equal(lostAtEnd, 0);
      });
  });

  describe('whatever goes wrong', () => {
    it(
      'never spends more than the limit in any window, joins again and spends on',
      { timeout: 1_800_000 },
      async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(injectedFault, { minLength: 1, maxLength: 6 }),
            fc.array(fc.integer({ min: 20, max: 1_000 }), { minLength: 1, maxLength: 5 }),
            fc.constantFrom('sliding' as const, 'fixed' as const),
            fc.boolean(),
            fc.constantFrom(7, 20),
            async (injectedFaults, tripsMs, counting, hasHeaders, sources) => {
              const drawn = { injectedFaults, tripsMs, counting, hasHeaders, sources };
              const run = await runSharedBudgets(redis, { ...calm, ...drawn, forMs: 100_000 });
              const max = isSpendingForgotten(injectedFaults)
                ? maxInCountedWindow(run.arrivals, calm.windowMs, counting)
                : maxInAnyWindow(run.arrivals, calm.windowMs);
              assert.ok(max <= calm.limit, `${max} calls in a window`);
              assert.equal(run.lostAtEnd, 0);
              const late = run.arrivals.filter((at) => at > 100_000 - calm.windowMs).length;
              assert.ok(late >= (calm.limit - calm.reserve) / 2, `${late} calls in the last window`);
            },
          ),
          { numRuns: RUNS },
        );
      },
    );
  });
});
