import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseList, Token } from 'structured-headers';
import type { FreshnessPolicy } from '../cache/freshness.ts';
import { cacheStatusOf, freshnessHeaders, type ResponseFreshness } from './respond.ts';

const facts = { hit: true, ttlSeconds: 3 };

/** The headers of an answer that is so old, by name. */
function headersOf(freshness: Partial<ResponseFreshness>, policy: Partial<FreshnessPolicy> = {}) {
  const headers = freshnessHeaders(
    { ageMs: 0, stale: false, facts, ...freshness },
    { freshForMs: 15_000, staleForMs: 86_400_000, authStaleForMs: 600_000, ...policy },
  );
  return Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [])));
}

describe('freshnessHeaders()', () => {
  it('rounds the age down to whole seconds, never below zero', () => {
    assert.equal(headersOf({ ageMs: 12_999 })['Age'], '12');
    assert.equal(headersOf({ ageMs: -5 })['Age'], '0');
  });

  it('lets a cache in front answer for five seconds from now, whatever the age', () => {
    assert.match(headersOf({ ageMs: 0 })['Cache-Control'] ?? '', /^public, max-age=5, /);
    assert.match(headersOf({ ageMs: 7_000 })['Cache-Control'] ?? '', /^public, max-age=12, /);
  });

  it('never allows more than the freshness of the answer, and five seconds if it is stale', () => {
    assert.match(headersOf({ ageMs: 13_000 })['Cache-Control'] ?? '', /max-age=15,/);
    assert.match(headersOf({ ageMs: 0 }, { freshForMs: 2_000 })['Cache-Control'] ?? '', /max-age=2,/);
    assert.match(headersOf({ ageMs: 4_000_000, stale: true })['Cache-Control'] ?? '', /max-age=5,/);
  });

  it('offers the stale answer while asking again, and on errors as long as the BFF itself does', () => {
    assert.match(headersOf({})['Cache-Control'] ?? '', /stale-while-revalidate=30, stale-if-error=86400$/);
    const brief = headersOf({}, { staleForMs: 10_000 })['Cache-Control'] ?? '';
    assert.match(brief, /stale-while-revalidate=10, stale-if-error=10$/);
  });

  it('lets a cache for many readers keep any answer for five seconds, so that few of their requests come here', () => {
    assert.match(headersOf({ ageMs: 7_000 })['CDN-Cache-Control'] ?? '', /^public, max-age=12, /);
    assert.match(headersOf({ ageMs: 20_000 })['CDN-Cache-Control'] ?? '', /^public, max-age=25, /);
    assert.match(headersOf({ ageMs: 4_000_000, stale: true })['CDN-Cache-Control'] ?? '', /^public, max-age=4005, /);
    assert.match(headersOf({ ageMs: 20_000 }, { freshForMs: 2_000 })['CDN-Cache-Control'] ?? '', /max-age=22, /);
  });

  it('keeps an answer with a passing failure out of every cache', () => {
    const headers = headersOf({ isPassing: true });
    assert.deepEqual([headers['Cache-Control'], headers['CDN-Cache-Control']], ['no-store', 'no-store']);
  });
});

describe('cacheStatusOf()', () => {
  it('says why the upstream was asked, what it answered and who waited', () => {
    const status = cacheStatusOf({
      hit: false,
      fwd: 'miss',
      fwdStatus: 200,
      stored: true,
      collapsed: true,
      ttlSeconds: 15,
    });
    assert.equal(status, 'PulseCard;fwd=miss;fwd-status=200;ttl=15;stored;collapsed');
  });

  it('can always be parsed', () => {
    const facts = fc.record({ hit: fc.boolean(), ttlSeconds: fc.double({ min: -1e6, max: 1e6, noNaN: true }) });
    fc.assert(
      fc.property(facts, (some) => {
        const [name, parameters] = parseList(cacheStatusOf(some))[0] ?? [];
        return name instanceof Token && parameters?.get('ttl') === Math.trunc(some.ttlSeconds) + 0;
      }),
    );
  });
});
