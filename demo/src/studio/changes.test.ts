import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Changes } from './changes.ts';

describe('Changes', () => {
  it('undoes and redoes one step at a time', () => {
    const changes = new Changes<string>();
    changes.record('a', 'look', 0);
    changes.record('b', 'look', 1_000);
    assert.deepEqual([changes.undo('c'), changes.undo('b'), changes.undo('a')], ['b', 'a', undefined]);
    assert.deepEqual([changes.redo('a'), changes.redo('b'), changes.redo('c')], ['b', 'c', undefined]);
  });

  it('merges rapid changes to the same setting into one step', () => {
    const changes = new Changes<string>();
    for (const [at, before] of ['a', 'b', 'c'].entries()) changes.record(before, 'look', at * 100);
    assert.equal(changes.undo('d'), 'a');
  });

  it('keeps rapid changes to different settings as separate steps', () => {
    const changes = new Changes<string>();
    changes.record('a', 'look', 0);
    changes.record('b', 'variant', 100);
    assert.equal(changes.undo('c'), 'b');
  });

  it('can’t redo an undone change after a new change', () => {
    const changes = new Changes<string>();
    changes.record('a', 'look', 0);
    changes.undo('b');
    changes.record('a', 'look', 5_000);
    assert.equal(changes.canRedo, false);
  });

  it('can undo the last hundred steps', () => {
    const changes = new Changes<number>();
    for (let at = 0; at < 150; at += 1) changes.record(at, 'look', at * 1_000);
    let steps = 0;
    while (changes.undo(0) !== undefined) steps += 1;
    assert.equal(steps, 100);
  });

  it('never merges changes that have an empty name', () => {
    const changes = new Changes<number>();
    changes.record(1, '', 0);
    changes.record(2, '', 0);
    assert.deepEqual([changes.undo(3), changes.undo(2)], [2, 1]);
  });
});
