import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Arrival } from '../upstream/arrival.ts';
import { OTHER_PATH } from './other-user.ts';
import { spentIn } from './spent.ts';

const call = (atSeconds: number, rest: Partial<Arrival> = {}): Arrival => ({
  atNs: atSeconds * 1e9,
  host: 'A',
  path: '/v1/sources',
  keyHash: undefined,
  status: 200,
  ...rest,
});
const run = (arrivals: readonly Arrival[], minutes = 2) =>
  spentIn({ title: '', arrivals, seen: [], fromNs: 0, toNs: minutes * 60e9, killedAtNs: [], remembers: false });

describe('spentIn()', () => {
  it('finds the fullest minute, whenever it begins', () => {
    assert.equal(run([call(1), call(50), call(70), call(109), call(119)]).maxInWindow, 3);
  });

  it('counts what two hosts were asked together', () => {
    assert.equal(run([call(1), call(2, { host: 'B' })]).maxInWindow, 2);
  });

  it('leaves the first minute out of the average', () => {
    assert.equal(run([call(1), call(2), call(3), call(70), call(100)]).perWindow, 2);
  });

  it('has no average of a run that is no longer than a window', () => {
    assert.equal(run([call(1)], 1).perWindow, 0);
  });

  it('keeps the calls of another user of the key apart', () => {
    const { calls, others, refused, othersRefused } = run([
      call(1),
      call(2, { path: OTHER_PATH }),
      call(3, { path: OTHER_PATH, status: 429 }),
    ]);
    assert.deepEqual([calls, others, refused, othersRefused], [1, 2, 0, 1]);
  });
});
