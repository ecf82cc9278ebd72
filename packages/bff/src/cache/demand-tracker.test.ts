import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RefreshPlanner } from '../planner/refresh-planner.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { DemandTracker } from './demand-tracker.ts';
import { SourceAllowlist } from './source-allowlist.ts';
import type { SharedCache, DemandMessage } from './port.ts';

function openTracker() {
  const clock = createVirtualClock();
  const logged: Omit<DemandMessage, 'instance'>[] = [];
  const planner = new RefreshPlanner({ windowMs: 60_000, callsPerWindow: 45, minAgeMs: 15_000 });
  const shared = { publishDemand: (demand) => void logged.push(demand) } as Pick<
    SharedCache,
    'publishDemand'
  > as SharedCache;
  const ids = new SourceAllowlist({ listed: false, ids: ['src_1', 'src_2'] });
  const demandTracker = new DemandTracker({ clock, planner, ids, shared, onFault: () => assert.fail() });
  const end = demandTracker.start();
  return { clock, logged, planner, demandTracker, end };
}

describe('DemandTracker', () => {
  it('tells the others once a second what readers looked at, and nothing where nobody did', async () => {
    const { clock, logged, demandTracker, end } = openTracker();
    for (let view = 0; view < 3; view += 1) demandTracker.recordView('src_1');
    await clock.advance(3_000);
    end();
    assert.deepEqual(logged, [{ views: { src_1: 3 }, readers: {} }]);
    assert.equal(clock.pending(), 0);
  });

  it('tells how many watch, again and again as long as any do', async () => {
    const { clock, logged, demandTracker } = openTracker();
    demandTracker.setWatchers('src_1', 2);
    await clock.advance(2_000);
    demandTracker.setWatchers('src_1', 0);
    await clock.advance(3_000);
    assert.deepEqual(
      logged.map(({ readers }) => readers),
      [{ src_1: 2 }, { src_1: 2 }],
    );
  });

  it('counts readers elsewhere as readers here', () => {
    const { clock, planner, demandTracker } = openTracker();
    demandTracker.receive({ instance: 'b', views: { src_1: 5 }, readers: { src_2: 3 } });
    assert.ok((planner.explain('src_1', clock.now())?.viewsPerMinute ?? 0) > 4);
    assert.equal(planner.explain('src_2', clock.now())?.readers, 3);
    demandTracker.setWatchers('src_2', 1);
    assert.equal(planner.explain('src_2', clock.now())?.readers, 4);
  });

  it('keeps what an earlier message said of other sources', async () => {
    const { clock, planner, demandTracker } = openTracker();
    demandTracker.receive({ instance: 'b', views: {}, readers: { src_1: 2 } });
    demandTracker.receive({ instance: 'b', views: {}, readers: { src_2: 3 } });
    assert.deepEqual(
      ['src_1', 'src_2'].map((id) => planner.explain(id, clock.now())?.readers),
      [2, 3],
    );
  });

  it('forgets readers that are not told again', async () => {
    const { clock, planner, demandTracker } = openTracker();
    demandTracker.receive({ instance: 'b', views: {}, readers: { src_2: 3 } });
    await clock.advance(7_000);
    assert.equal(planner.explain('src_2', clock.now())?.readers, 0);
  });

  it('hears of no source that it does not know', () => {
    const { clock, planner, demandTracker } = openTracker();
    demandTracker.receive({ instance: 'b', views: { src_evil: 5 }, readers: { src_evil: 5 } });
    assert.equal(planner.explain('src_evil', clock.now()), undefined);
  });
});
