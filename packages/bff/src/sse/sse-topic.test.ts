import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idSchema } from '@pulse-card/contract';
import fc from 'fast-check';
import { missedBy, cursorEntryOf, cursorBefore, cursorText, FanOut } from './sse-topic.ts';

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

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('FanOut', () => {
  it('tells a few at once', () => {
    const logged: number[] = [];
    new FanOut().add([() => logged.push(1), () => logged.push(2)]);
    assert.deepEqual(logged, [1, 2]);
  });

  it('gives others a turn before it tells the next five hundred', async () => {
    let logged = 0;
    new FanOut().add(Array.from({ length: 1_200 }, () => () => void (logged += 1)));
    const seen = [logged];
    for (let at = 0; at < 3; at += 1) {
      await turn();
      seen.push(logged);
    }
    assert.deepEqual(seen, [500, 1_000, 1_200, 1_200]);
  });

  it('tells one thing after the other', async () => {
    const logged: string[] = [];
    const fanOut = new FanOut();
    fanOut.add(Array.from({ length: 700 }, () => () => logged.push('first')));
    fanOut.add([() => logged.push('second')]);
    for (let at = 0; at < 4; at += 1) await turn();
    assert.equal(logged.length, 701);
    assert.equal(logged.indexOf('second'), 700);
  });

  it('goes on with the next thing after everything was told', async () => {
    const logged: string[] = [];
    const fanOut = new FanOut();
    fanOut.add([() => logged.push('first')]);
    await turn();
    fanOut.add([() => logged.push('second')]);
    assert.deepEqual(logged, ['first', 'second']);
  });
});
