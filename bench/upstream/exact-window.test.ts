import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ExactWindow } from './exact-window.ts';

describe('ExactWindow', () => {
  it('grants up to the limit and says what is left', () => {
    const window = new ExactWindow({ limit: 2, windowMs: 100 });
    assert.deepEqual(window.take('k', 0), { granted: true, limit: 2, remaining: 1, resetInMs: 100 });
    assert.deepEqual(window.take('k', 40), { granted: true, limit: 2, remaining: 0, resetInMs: 60 });
    assert.deepEqual(window.take('k', 99), { granted: false, limit: 2, remaining: 0, resetInMs: 1 });
  });

  it('grants again at the moment the oldest call leaves', () => {
    const window = new ExactWindow({ limit: 1, windowMs: 100 });
    window.take('k', 0);
    assert.equal(window.take('k', 99.9).granted, false);
    assert.equal(window.take('k', 100).granted, true);
  });

  it('does not count what it refused', () => {
    const window = new ExactWindow({ limit: 1, windowMs: 100 });
    for (const at of [0, 50, 90]) window.take('k', at);
    assert.equal(window.take('k', 100).granted, true);
  });

  it('keeps the keys apart', () => {
    const window = new ExactWindow({ limit: 1, windowMs: 100 });
    window.take('a', 0);
    assert.equal(window.take('b', 0).granted, true);
  });
});
