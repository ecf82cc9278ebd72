import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { maxInAnyWindow } from '../testing/arrivals.ts';
import {
  FRESH_MS,
  type InstanceRun,
  type InstanceRunOptions,
  type InjectedFault,
  isReadOften,
  runInstance,
  SELDOM_READ_EVERY_MS,
  WINDOW_MS,
} from '../testing/instance-run.ts';
import { SERVICE_FAULTS } from '../testing/faulty-service.ts';

/** An environment variable sets a higher number of runs. */
const RUNS = Number(process.env['PULSE_PROPERTY_RUNS'] ?? 12);

const LIMIT = 60;

/** The time for one tick and one call. */
const SETTLING_MS = 1_000;

const atMs = fc.integer({ min: 0, max: 240_000 });
const forMs = fc.integer({ min: 500, max: 200_000 });
const shortMs = fc.integer({ min: 500, max: 20_000 });

const injectedFault: fc.Arbitrary<InjectedFault> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('service' as const),
      atMs,
      forMs,
      fault: fc.constantFrom(...SERVICE_FAULTS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('killed' as const, 'stopped' as const, 'reboot' as const),
      atMs,
      forMs: shortMs,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('disk-full' as const), atMs, forMs }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      atMs,
      byMs: fc.constantFrom(-86_400_000, -300_000, 300_000, 86_400_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('account' as const), atMs }) },
);

const options: fc.Arbitrary<InstanceRunOptions> = fc.record({
  injectedFaults: fc.array(injectedFault, { minLength: 1, maxLength: 7 }),
  sources: fc.constantFrom(1, 5, 10),
  hasReaders: fc.boolean(),
  hasStateDir: fc.boolean(),
  hasAltHost: fc.boolean(),
  firstFailsForGood: fc.boolean(),
});

/**
 * The sources that, after everything had recovered, were not refreshed within one window plus the freshness lifetime. A
 * pause after a 429 can last until the window ends. A source with few readers is then refreshed for its next reader.
 */
function neglected(
  { calls, calmFromMs, sourceIds }: InstanceRun,
  { firstFailsForGood, hasReaders }: InstanceRunOptions,
) {
  const untilMs = calmFromMs + WINDOW_MS + FRESH_MS + SETTLING_MS;
  const isRefreshed = (id: string, index: number): boolean => {
    const waitMs = isReadOften(index, hasReaders) ? 0 : SELDOM_READ_EVERY_MS;
    return calls.some(
      ({ at, about, answeredAt }) =>
        about === id && answeredAt !== undefined && at >= calmFromMs && at <= untilMs + waitMs,
    );
  };
  return sourceIds.filter((id, index) => !(firstFailsForGood && index === 0) && !isRefreshed(id, index));
}

describe('one instance, while the process, its machine, and the service fail', () => {
  it(
    'stays within the limit, shows every known pulse, and refreshes everything again',
    { timeout: 1_800_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(options, async (given) => {
          const run = await runInstance(given);
          const max = maxInAnyWindow(
            run.calls.map(({ at }) => at),
            WINDOW_MS,
          );
          assert.ok(max <= LIMIT, `${max} calls in a window`);
          assert.deepEqual(neglected(run, given), [], 'L1, L2, L4: not refreshed once all is well');
          assert.deepEqual(run.wrongReadings, [], 'L3: wrong readings');
          assert.deepEqual(run.wrongStops, [], 'L5: wrong stops');
          assert.deepEqual(run.faults, [], 'thrown in the background');
        }),
        { numRuns: RUNS },
      );
    },
  );
});
