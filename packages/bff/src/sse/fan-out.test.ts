import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FanOut } from './fan-out.ts';

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
