import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idSchema } from '@pulse-card/contract';
import fc from 'fast-check';
import { missedBy, cursorEntryOf, cursorBefore, cursorText } from './sse-topic.ts';

const runs = fc.option(fc.stringMatching(/^[A-Za-z0-9_~-][A-Za-z0-9._~-]{0,127}$/), { nil: undefined });
const CURRENT = ['run_7', '.', 'run_9'];

describe('missedBy()', () => {
  it('is nothing for a reader who says nothing', () => {
    assert.deepEqual(missedBy(undefined, CURRENT), []);
    assert.deepEqual(missedBy('', CURRENT), []);
  });

  it('is what has changed', () => {
    assert.deepEqual(missedBy('run_7,run_8', CURRENT), [2]);
    assert.deepEqual(missedBy('run_9', CURRENT), [0]);
    assert.deepEqual(missedBy('.', CURRENT), [0, 2]);
  });

  it('does not depend on the order, nor on runs of other sources', () => {
    assert.deepEqual(missedBy('run_9,run_1, run_7,run_7', CURRENT), []);
  });

  it('is never a source without a pulse', () => {
    assert.deepEqual(missedBy('run_7,run_9', CURRENT), []);
  });

  for (const garbage of ['x', 'RUN_7', 'run_7;run_9', '🜁,\u0000,"', ',,,,,,', '{"a":1}', 'a'.repeat(7_000)]) {
    it(`is all there is for ${JSON.stringify(garbage.slice(0, 20))}`, () => {
      assert.deepEqual(missedBy(garbage, CURRENT), [0, 2]);
    });
  }

  it('is nothing for the reader who was there to the last, whatever runs are called', () => {
    fc.assert(
      fc.property(fc.array(runs, { minLength: 1, maxLength: 50 }), (names) => {
        const cursor = names.map(cursorEntryOf);
        assert.deepEqual(missedBy(cursorText(cursor), cursor), []);
      }),
    );
  });

  it('takes the names of runs as they are, long ones too, from a page that knows no other', () => {
    const long = 'r'.repeat(128);
    assert.deepEqual(missedBy(`${long},run_2`, [cursorEntryOf(long), 'run_2']), []);
  });
});

describe('cursorText()', () => {
  it('names the runs that are there, and is never empty', () => {
    assert.equal(cursorText(CURRENT), 'run_7,run_9');
    assert.equal(cursorText(['.', '.']), '.');
  });
});

describe('cursorEntryOf()', () => {
  it('is short, and no run is called like nothing', () => {
    assert.ok(!idSchema.safeParse(cursorEntryOf(undefined)).success);
    assert.ok(cursorEntryOf('r'.repeat(128)).length <= 32);
    assert.notEqual(cursorEntryOf('r'.repeat(128)), cursorEntryOf('r'.repeat(127)));
  });
});

describe('cursorBefore()', () => {
  it('is a position at which exactly that is missed', () => {
    assert.deepEqual(missedBy(cursorText(cursorBefore([0, 2], CURRENT)), CURRENT), [0, 2]);
    assert.deepEqual(missedBy(cursorText(cursorBefore([2], CURRENT)), CURRENT), [2]);
  });
});
