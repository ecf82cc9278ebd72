import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Broadcast } from './broadcast.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('Broadcast', () => {
  it('tells a few at once', () => {
    const told: number[] = [];
    new Broadcast().add([() => told.push(1), () => told.push(2)]);
    assert.deepEqual(told, [1, 2]);
  });

  it('gives others a turn before it tells the next five hundred', async () => {
    let told = 0;
    new Broadcast().add(Array.from({ length: 1_200 }, () => () => void (told += 1)));
    const seen = [told];
    for (let at = 0; at < 3; at += 1) {
      await turn();
      seen.push(told);
    }
    assert.deepEqual(seen, [500, 1_000, 1_200, 1_200]);
  });

  it('tells one thing after the other', async () => {
    const told: string[] = [];
    const broadcast = new Broadcast();
    broadcast.add(Array.from({ length: 700 }, () => () => told.push('first')));
    broadcast.add([() => told.push('second')]);
    for (let at = 0; at < 4; at += 1) await turn();
    assert.equal(told.length, 701);
    assert.equal(told.indexOf('second'), 700);
  });

  it('goes on with the next thing after everything was told', async () => {
    const told: string[] = [];
    const broadcast = new Broadcast();
    broadcast.add([() => told.push('first')]);
    await turn();
    broadcast.add([() => told.push('second')]);
    assert.deepEqual(told, ['first', 'second']);
  });
});
