import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Arrival } from '../upstream/arrival.ts';
import { recoveryAfter } from './recovery.ts';

const asked = (atMs: number, id: string, status = 200): Arrival => ({
  atNs: atMs * 1e6,
  host: 'A',
  path: `/v1/sources/${id}/pulse`,
  keyHash: undefined,
  status,
});

describe('recoveryAfter()', () => {
  it('counts from the return to the first good answer and to the last source', () => {
    const arrivals = [asked(90, 'src_1'), asked(130, 'src_2'), asked(150, 'src_2'), asked(190, 'src_1')];
    assert.deepEqual(recoveryAfter(100e6, arrivals, ['src_1', 'src_2']), { firstGoodMs: 30, allGoodMs: 90 });
  });

  it('does not take an error for a good answer', () => {
    const { firstGoodMs } = recoveryAfter(0, [asked(1, 'src_1', 429), asked(5, 'src_1')], ['src_1']);
    assert.equal(firstGoodMs, 5);
  });

  it('does not take the list for a pulse', () => {
    const list = { ...asked(1, 'src_1'), path: '/v1/sources' };
    assert.equal(recoveryAfter(0, [list, asked(5, 'src_1')], ['src_1']).firstGoodMs, 5);
  });

  it('never ends while a source was not read anew', () => {
    assert.equal(recoveryAfter(0, [asked(5, 'src_1')], ['src_1', 'src_2']).allGoodMs, undefined);
  });
});
