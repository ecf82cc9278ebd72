import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRefreshPlanner } from '../freshness/refresh-planner.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { Crowd } from './crowd.ts';
import { KnownSources } from './known-sources.ts';
import type { SharedAnswers, SharedDemand } from './shared-answers.ts';

function openCrowd() {
  const clock = createVirtualClock();
  const told: Omit<SharedDemand, 'instance'>[] = [];
  const planner = createRefreshPlanner({ windowMs: 60_000, callsPerWindow: 45, minAgeMs: 15_000 });
  const shared = { tellDemand: (demand) => void told.push(demand) } as Pick<
    SharedAnswers,
    'tellDemand'
  > as SharedAnswers;
  const ids = new KnownSources({ listed: false, any: false, ids: ['src_1', 'src_2'] });
  const crowd = new Crowd({ clock, planner, ids, shared });
  const end = crowd.start();
  return { clock, told, planner, crowd, end };
}

describe('Crowd', () => {
  it('tells the others once a second what readers looked at, and nothing where nobody did', async () => {
    const { clock, told, crowd, end } = openCrowd();
    for (let view = 0; view < 3; view += 1) crowd.sawView('src_1');
    await clock.advance(3_000);
    end();
    assert.deepEqual(told, [{ views: { src_1: 3 }, readers: {} }]);
    assert.equal(clock.pending(), 0);
  });

  it('tells how many watch, again and again as long as any do', async () => {
    const { clock, told, crowd } = openCrowd();
    crowd.watched('src_1', 2);
    await clock.advance(2_000);
    crowd.watched('src_1', 0);
    await clock.advance(3_000);
    assert.deepEqual(
      told.map(({ readers }) => readers),
      [{ src_1: 2 }, { src_1: 2 }],
    );
  });

  it('counts readers elsewhere as readers here', () => {
    const { clock, planner, crowd } = openCrowd();
    assert.ok(crowd.heard({ instance: 'b', views: { src_1: 5 }, readers: { src_2: 3 } }));
    assert.ok((planner.explain('src_1', clock.now())?.viewsPerMinute ?? 0) > 4);
    assert.equal(planner.explain('src_2', clock.now())?.readers, 3);
    assert.equal(crowd.watched('src_2', 1), 4);
  });

  it('takes open streams elsewhere for readers of the list', () => {
    const { crowd } = openCrowd();
    assert.ok(crowd.heard({ instance: 'b', views: {}, readers: { src_2: 1 } }));
  });

  it('keeps what an earlier message said of other sources', async () => {
    const { clock, planner, crowd } = openCrowd();
    crowd.heard({ instance: 'b', views: {}, readers: { src_1: 2 } });
    crowd.heard({ instance: 'b', views: {}, readers: { src_2: 3 } });
    assert.deepEqual(
      ['src_1', 'src_2'].map((id) => planner.explain(id, clock.now())?.readers),
      [2, 3],
    );
  });

  it('forgets readers that are not told again', async () => {
    const { clock, planner, crowd } = openCrowd();
    crowd.heard({ instance: 'b', views: {}, readers: { src_2: 3 } });
    await clock.advance(7_000);
    assert.equal(planner.explain('src_2', clock.now())?.readers, 0);
  });

  it('hears of no source that it does not know', () => {
    const { clock, planner, crowd } = openCrowd();
    assert.equal(crowd.heard({ instance: 'b', views: { src_evil: 5 }, readers: { src_evil: 5 } }), false);
    assert.equal(planner.explain('src_evil', clock.now()), undefined);
  });
});
