import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import { maxInAnyWindow } from '../../testing/arrivals.ts';
import { describeWithRedis } from '../../testing/instances.ts';
import { type RedisServer, startRedis } from '../../../../testkit/src/redis-server.ts';
import { type InjectedFault, runSharedBudgets, type SharedRunOptions } from '../../testing/shared-budget-run.ts';

/** A run of six instances takes more than a second of CPU time, so most runs belong to the long tests. */
const isLong = process.env['PULSE_TEST_LONG'] !== undefined;
const RUNS = Number(process.env['PULSE_PROPERTY_RUNS'] ?? (isLong ? 20 : 1));

const WINDOW_MS = 60_000;

const calm: SharedRunOptions = {
  instances: 6,
  sources: 40,
  limit: 60,
  reserve: 15,
  windowMs: WINDOW_MS,
  callMs: 5_000,
  tripsMs: [100, 400, 900, 50],
  counting: 'sliding',
  // An upstream that doesn't report its window is the harder case.
  hasHeaders: false,
  injectedFaults: [],
  forMs: 360_000,
};

/** The time at which the budget in Redis is three windows old and its calls are used up. */
const AT = 180_000;

const CASES: Readonly<Record<string, readonly InjectedFault[]>> = {
  'instances are killed every two seconds': Array.from({ length: 45 }, (_, index) => ({
    kind: 'killed',
    atMs: AT + index * 2_000,
    instance: index,
  })),
  'Redis is flushed and an instance is killed': [
    { kind: 'flush', atMs: AT },
    { kind: 'killed', atMs: AT, instance: 0 },
  ],
  'all instances lose Redis for longer than a window': [{ kind: 'lost', atMs: AT, forMs: 90_000 }],
};

const LONG_CASES: typeof CASES = {
  'nothing happens': [],
  'an instance is killed': [{ kind: 'killed', atMs: AT, instance: 0 }],
  'Redis is flushed': [{ kind: 'flush', atMs: AT }],
  'Redis is restarted, empty': [
    { kind: 'lost', atMs: AT, forMs: 5_000 },
    { kind: 'flush', atMs: AT + 1_000 },
  ],
  'Redis is frozen for a second': [{ kind: 'frozen', atMs: AT, forMs: 1_000 }],
  'Redis is frozen for five seconds': [{ kind: 'frozen', atMs: AT, forMs: 5_000 }],
  'Redis is frozen for twenty seconds': [{ kind: 'frozen', atMs: AT, forMs: 20_000 }],
  'one instance cannot reach Redis': [{ kind: 'lost', atMs: AT, forMs: 90_000, instance: 2 }],
  'Redis fails over to an empty one after twenty seconds': [
    { kind: 'lost', atMs: AT, forMs: 20_000 },
    { kind: 'flush', atMs: AT + 20_000 },
  ],
};

describeWithRedis('six instances on one Redis (T-32)', () => {
  let redis: RedisServer;
  before(async () => void (redis = await startRedis()));
  after(() => redis.close());

  for (const [what, injectedFaults] of Object.entries(isLong ? { ...CASES, ...LONG_CASES } : CASES))
    it(`stay within the limit, and make calls again within one window after Redis is back: ${what}`, async (context) => {
      const backAtMs = Math.max(
        AT,
        ...injectedFaults.map((fault) => fault.atMs + ('forMs' in fault ? fault.forMs : 0)),
      );
      const forMs = backAtMs + WINDOW_MS + 10_000;
      const { arrivals, overlaps } = await runSharedBudgets(redis, { ...calm, injectedFaults, forMs });
      const again = arrivals.filter((at) => at > backAtMs + WINDOW_MS).length;
      const max = maxInAnyWindow(arrivals, WINDOW_MS);
      context.diagnostic(`${max} calls in a window`);
      assert.ok(max <= calm.limit, `${max} calls in a window`);
      assert.equal(overlaps, 0);
      assert.ok(again >= 5, `${again} calls in the ten seconds after a window`);
    });

  it('use at least 90% of the calls outside the reserve if nothing fails', async () => {
    const { arrivals } = await runSharedBudgets(redis, calm);
    assert.ok(
      maxInAnyWindow(
        arrivals.filter((at) => at > 2 * WINDOW_MS),
        WINDOW_MS,
      ) <= 45,
    );
    assert.ok(arrivals.filter((at) => at > 240_000).length >= 81);
  });

  it('never exceed the limit in any window, regardless of failures', { timeout: 1_800_000 }, async () => {
    const atMs = fc.integer({ min: 0, max: 150_000 });
    const forMs = fc.integer({ min: 250, max: 80_000 });
    const instance = fc.nat({ max: 5 });
    const injectedFault: fc.Arbitrary<InjectedFault> = fc.oneof(
      fc.record({ kind: fc.constant('flush' as const), atMs }),
      fc.record({ kind: fc.constant('lost' as const), atMs, forMs, instance }),
      fc.record({ kind: fc.constant('frozen' as const), atMs, forMs }),
      fc.record({ kind: fc.constant('killed' as const), atMs, instance }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(injectedFault, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 20, max: 4_900 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom('sliding' as const, 'fixed' as const),
        fc.boolean(),
        async (injectedFaults, tripsMs, counting, hasHeaders) => {
          const options = { ...calm, injectedFaults, tripsMs, counting, hasHeaders, forMs: 340_000 };
          const { arrivals } = await runSharedBudgets(redis, options);
          const max = maxInAnyWindow(arrivals, WINDOW_MS);
          assert.ok(max <= calm.limit, `${max} calls in a window`);
          const late = arrivals.filter((at) => at > 340_000 - WINDOW_MS).length;
          assert.ok(late >= 20, `${late} calls in the last window`);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
