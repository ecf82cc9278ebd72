import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { visitFigures } from '../load/visit-figures.ts';
import type { Arrival } from '../upstream/arrival.ts';
import { failuresIn, failureWords, firstAfterMs } from './stage.ts';

const failed = (status: 503 | 'cut', said?: string) => ({
  atNs: 1,
  id: 'src_1',
  tookMs: 1,
  status,
  said,
  isStale: false,
});
const arrival = (atNs: number): Arrival => ({ atNs, host: 'A', path: '/v1/sources', keyHash: undefined, status: 200 });

describe('failuresIn()', () => {
  it('adds up what visitors of known sources did not get', () => {
    assert.equal(failuresIn(visitFigures([failed(503), failed('cut')], { known: ['src_1'] })), 2);
  });

  it('leaves sources out that never had an answer', () => {
    assert.equal(failuresIn(visitFigures([failed(503)])), 0);
  });
});

describe('failureWords()', () => {
  it('names each kind with its count', () => {
    const figures = visitFigures([failed(503, 'upstream_auth'), failed(503, 'upstream_auth')]);
    assert.equal(failureWords(figures), '2 × 503 upstream_auth');
  });

  it('says when there was none', () => {
    assert.equal(failureWords(visitFigures([])), 'none');
  });
});

describe('firstAfterMs()', () => {
  it('is the time to the first arrival from then on', () => {
    assert.equal(firstAfterMs([arrival(1e6), arrival(5e6), arrival(9e6)], 2e6), 3);
  });

  it('is unknown where none came', () => {
    assert.equal(firstAfterMs([arrival(1e6)], 2e6), undefined);
  });
});
