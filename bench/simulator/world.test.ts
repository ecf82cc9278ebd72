import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChangeHistory } from './change-history.ts';
import { createWorld } from './world.ts';
import { isPromised, LIVING_WORLDS, SHORT_WORLDS, STILL_WORLDS } from './world-plan.ts';

const living = { ...LIVING_WORLDS[1]!, hours: 6 };

describe('createWorld()', () => {
  it('is the same for the same seed, and another for another', () => {
    const times = (seed: number) => createWorld(living, seed).views.times.slice(0, 50);
    assert.deepEqual(times(11), times(11));
    assert.notDeepEqual(times(11), times(23));
  });

  it('has as many views as planned, in order', () => {
    const { views } = createWorld(STILL_WORLDS[1]!, 11);
    assert.ok(Math.abs(views.times.length / (5 * 6 * 3_600) - 1) < 0.02);
    assert.ok(views.times.every((at, index) => index === 0 || at >= views.times[index - 1]!));
  });

  it('gives each source the views that its rate foretells', () => {
    const world = createWorld(STILL_WORLDS[1]!, 11);
    for (let source = 0; source < 60; source += 10) {
      const expected = world.viewsPerMs(source, 0) * world.endMs;
      const seen = world.views.sources.filter((each) => each === source).length;
      assert.ok(Math.abs(seen - expected) < 5 * Math.sqrt(expected), `${seen} views of ${source}, not ${expected}`);
    }
  });

  it('gives each source the changes that its rates foretell', () => {
    const world = createWorld(living, 11);
    const changed = world.changes.reduce((sum, history) => sum + history.versionAt(world.endMs), 0);
    let expected = 0;
    for (let at = 500; at < world.endMs; at += 1_000)
      for (let source = 0; source < 60; source += 1) expected += world.changesPerMs(source, at) * 1_000;
    assert.ok(Math.abs(changed - expected) < 5 * Math.sqrt(expected), `${changed} changes, not ${expected}`);
  });
});

describe('the short form', () => {
  it('runs worlds of every promised size, each of them one that the promise speaks of', () => {
    assert.deepEqual(new Set(SHORT_WORLDS.map(({ sources }) => sources)), new Set([60, 300, 1_000]));
    assert.ok(SHORT_WORLDS.length === 5 && SHORT_WORLDS.every(isPromised));
  });
});

describe('ChangeHistory', () => {
  const history = new ChangeHistory([10, 20, 30]);

  it('counts the changes up to a moment, that moment included', () => {
    assert.deepEqual(
      [9, 10, 25, 99].map((at) => history.versionAt(at)),
      [0, 1, 2, 3],
    );
  });

  it('dates staleness from the first change missed', () => {
    assert.equal(history.stalenessOf(1, 35), 15);
    assert.equal(history.stalenessOf(3, 35), 0);
    assert.equal(history.stalenessOf(2, 25), 0);
  });
});
