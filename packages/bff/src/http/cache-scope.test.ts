import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { cacheControlOf, freshSecondsOf, scopeOf } from './cache-scope.ts';

const DAY_MS = 86_400_000;
const policy = { freshMs: 15_000, staleMs: DAY_MS };
const fresh = { ageMs: 4_200, isStale: false, staleForMs: DAY_MS };

describe('scopeOf()', () => {
  for (const [cache, access, isMounted, scope] of [
    ['public', 'public', false, 'shared'],
    ['public', 'token', false, 'private'],
    ['private', 'public', false, 'private'],
    ['public', 'public', true, 'mounted'],
  ] as const)
    it(`is ${scope} with PULSE_CACHE=${cache}, PULSE_ACCESS=${access}${isMounted ? ', mounted' : ''}`, () =>
      assert.equal(scopeOf({ cache, access, isMounted }), scope));
});

it('freshSecondsOf() is at least one second', () => {
  for (const freshMs of [200, 1_900]) assert.equal(freshSecondsOf({ freshMs }), 1);
});

describe('cacheControlOf()', () => {
  it('lets browsers store a response for its remaining lifetime, and shared caches for five seconds', () => {
    const { cacheControl, cdnCacheControl } = cacheControlOf(fresh, policy, 'shared');
    assert.equal(cacheControl, 'public, max-age=9, stale-while-revalidate=30, stale-if-error=86400');
    assert.equal(cdnCacheControl, cacheControl);
  });

  it('lets shared caches store any response for five seconds, regardless of its age', () => {
    const { cdnCacheControl } = cacheControlOf({ ...fresh, ageMs: 60_000 }, policy, 'shared');
    assert.match(cdnCacheControl, /^public, max-age=65,/);
  });

  it('limits stale content to its short lifetime, because nginx ignores Age', () => {
    const { cacheControl } = cacheControlOf({ ...fresh, ageMs: 60_000, isStale: true }, policy, 'shared');
    assert.match(cacheControl, /^public, max-age=5,/);
  });

  it('never lets a cache serve a response for longer than the BFF itself would', () => {
    const { cacheControl, cdnCacheControl } = cacheControlOf({ ...fresh, staleForMs: 20_900 }, policy, 'shared');
    for (const value of [cacheControl, cdnCacheControl])
      assert.match(value, /stale-while-revalidate=20, stale-if-error=20$/);
  });

  it('lets only the browser store a private response', () => {
    const { cacheControl, cdnCacheControl } = cacheControlOf(fresh, policy, 'private');
    assert.match(cacheControl, /^private, max-age=9,/);
    assert.equal(cdnCacheControl, 'no-store');
  });

  it('makes the browser revalidate a mounted router’s responses each time', () =>
    assert.deepEqual(Object.values(cacheControlOf(fresh, policy, 'mounted')), ['private, no-cache', 'no-store']));
});
