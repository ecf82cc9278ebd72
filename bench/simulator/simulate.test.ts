import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChangeHistory } from './change-history.ts';
import { ttlWithSwr } from './contestants.ts';
import { planned } from './planned.ts';
import { type Policy, simulate, WARM_UP_MS } from './simulate.ts';
import { createWorld, type World } from './world.ts';
import { LIVING_WORLDS, STILL_WORLDS, type WorldPlan } from './world-plan.ts';

/** A world whose figures can be calculated by hand. Times are in s after the warm-up. */
interface HandMade {
  /** The views, each with its time and its source. */
  views: readonly (readonly [atSeconds: number, source: number])[];
  /** The times at which each source changes. */
  changes: readonly (readonly number[])[];
  plan?: Partial<WorldPlan>;
}

/** Creates a world from the given views and changes. By default, the upstream answers immediately. */
function handMadeWorld({ views, changes, plan }: HandMade): World {
  const at = (seconds: number) => WARM_UP_MS + seconds * 1_000;
  return {
    plan: { ...STILL_WORLDS[0]!, sources: changes.length, ...plan },
    seed: 1,
    endMs: at((views.at(-1)?.[0] ?? 0) + 1),
    ids: changes.map((_, source) => `src_${source}`),
    views: {
      times: Float64Array.from(views, ([seconds]) => at(seconds)),
      sources: Uint16Array.from(views, ([, source]) => source),
    },
    changes: changes.map((times) => new ChangeHistory(times.map(at))),
    viewsPerMs: () => 1 / 60_000,
    changesPerMs: () => 1 / 60_000,
  };
}

/** Serves the cached copy, regardless of its age. */
const idle = (): Policy => ({ onView: () => 'serve' });

/** Makes the reader wait for a refresh on every view. */
const greedy = (): Policy => ({ onView: () => 'wait' });

const slow = { latencyMs: { from: 400, to: 400 } };
const tooSlow = { latencyMs: { from: 800, to: 800 } };

describe('simulate()', () => {
  it('counts the time since the first change that the copy lacks', async () => {
    const world = handMadeWorld({
      views: [
        [0, 0],
        [5, 0],
        [20, 0],
        [40, 0],
      ],
      changes: [[10, 30]],
    });
    const figures = await simulate(world, idle);
    assert.equal(figures.views, 4);
    // At 20 s, the first missed change (at 10 s) is 10 s old. At 40 s, this change is 30 s old, and a second change is
    // missing.
    assert.equal(figures.stalenessSeconds, (0 + 0 + 10 + 30) / 4);
    assert.equal(figures.staleShare, 0.5);
    assert.equal(figures.p99Seconds, 30);
    assert.equal(figures.calls, 1);
  });

  it('dates a copy by when the service read it, not by its arrival', async () => {
    const world = handMadeWorld({
      views: [
        [0, 0],
        [1, 0],
      ],
      changes: [[0.3]],
      plan: slow,
    });
    // The copy is requested at 0 s, read at 0.2 s, and received at 0.4 s. It lacks the change at 0.3 s. When the
    // two views see the copy, this change is 0.1 s and 0.7 s old.
    assert.equal((await simulate(world, idle)).stalenessSeconds.toFixed(3), '0.400');
  });

  it('shows a waiting reader the old copy if the answer takes over half a second', async () => {
    const views = [
      [0, 0],
      [20, 0],
    ] as const;
    const prompt = await simulate(handMadeWorld({ views, changes: [[10]], plan: slow }), greedy);
    assert.deepEqual([prompt.stalenessSeconds, prompt.waitedShare], [0, 1]);
    const late = await simulate(handMadeWorld({ views, changes: [[10]], plan: tooSlow }), greedy);
    assert.equal(late.stalenessSeconds, 10.5 / 2);
  });

  it('lets readers of one source share a call', async () => {
    const world = handMadeWorld({
      views: [
        [0, 0],
        [0.1, 0],
        [0.2, 0],
      ],
      changes: [[]],
      plan: slow,
    });
    const figures = await simulate(world, greedy);
    assert.deepEqual([figures.calls, figures.views, figures.waitedShare], [1, 3, 1]);
  });

  it('keeps every policy within the limit in any window', async () => {
    const views = Array.from({ length: 1_200 }, (_, index) => [index / 10, index % 3] as const);
    for (const callsPerWindow of [1, 7, 45, 60]) {
      const figures = await simulate(handMadeWorld({ views, changes: [[], [], []], plan: { callsPerWindow } }), greedy);
      assert.equal(figures.maxInWindow, callsPerWindow);
    }
  });

  it('counts failed calls toward the limit', async () => {
    const world = handMadeWorld({
      views: [
        [0, 0],
        [10, 0],
      ],
      changes: [[]],
      plan: { failures: 1 },
    });
    const figures = await simulate(world, idle);
    assert.deepEqual([figures.calls, figures.views, figures.unanswered], [2, 0, 2]);
  });

  it('produces the same figures on every run', async () => {
    const world = () => createWorld({ ...LIVING_WORLDS[0]!, hours: 1.2 }, 7);
    for (const make of [planned, ttlWithSwr(30)])
      assert.deepEqual(await simulate(world(), make), await simulate(world(), make));
  });
});

describe('ttlWithSwr()', () => {
  it('serves an expired copy once more, and then the new copy', async () => {
    const world = handMadeWorld({
      views: [
        [0, 0],
        [20, 0],
        [21, 0],
      ],
      changes: [[10]],
    });
    const figures = await simulate(world, ttlWithSwr(15));
    assert.deepEqual([figures.stalenessSeconds, figures.calls, figures.waitedShare], [10 / 3, 2, 1 / 3]);
  });
});

describe('planned()', () => {
  it('uses at least nine tenths of the calls if there is demand', async () => {
    const plan = LIVING_WORLDS.find(({ name }) => name.includes('as delivered'))!;
    const figures = await simulate(createWorld({ ...plan, hours: 1.5 }, 11), planned);
    assert.ok(figures.calls >= 0.9 * plan.callsPerWindow * 30, `${figures.calls} calls in half an hour`);
    assert.ok(figures.maxInWindow <= plan.callsPerWindow);
  });
});
