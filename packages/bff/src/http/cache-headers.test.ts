import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseList, Token } from 'structured-headers';
import type { FreshnessPolicy } from '../cache/freshness.ts';
import { cacheStatusOf, freshnessHeaders, type ResponseFreshness } from './cache-headers.ts';

const POLICY = { freshForMs: 15_000, staleForMs: 86_400_000, authStaleForMs: 600_000 };

/** The headers of a response with this freshness, by name. */
function headersOf(freshness: Partial<ResponseFreshness>, policy: Partial<FreshnessPolicy> = {}) {
  const facts = { hit: true, ttlSeconds: 3 };
  const headers = freshnessHeaders(
    { ageMs: 0, isEarlierVersion: false, facts, ...freshness },
    { ...POLICY, ...policy },
  );
  return Object.fromEntries(headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : [])));
}

describe('freshnessHeaders()', () => {
  for (const [what, freshness, policy, browsers, caches] of [
    ['allow five seconds from now', { ageMs: 7_000 }, {}, 12, 12],
    ['allow browsers no more than its freshness', { ageMs: 13_000 }, {}, 15, 18],
    ['allow browsers no more than a short freshness', { ageMs: 0 }, { freshForMs: 2_000 }, 2, 2],
    ['renew a short freshness for caches with many readers', { ageMs: 20_000 }, { freshForMs: 2_000 }, 2, 22],
    ['allow five seconds from now if it is stale', { ageMs: 4_000_000, isEarlierVersion: true }, {}, 5, 4_005],
  ] as const)
    it(what, () => {
      const headers = headersOf(freshness, policy);
      assert.match(headers['Cache-Control'] ?? '', new RegExp(`^public, max-age=${browsers}, `));
      assert.match(headers['CDN-Cache-Control'] ?? '', new RegExp(`^public, max-age=${caches}, `));
    });

  it('lets caches serve a stale response during a refresh or an outage', () => {
    assert.match(headersOf({})['Cache-Control'] ?? '', /stale-while-revalidate=30, stale-if-error=86400$/);
    const brief = headersOf({}, { staleForMs: 10_000 })['Cache-Control'] ?? '';
    assert.match(brief, /stale-while-revalidate=10, stale-if-error=10$/);
  });
});

describe('cacheStatusOf()', () => {
  it('returns a value that can always be parsed', () => {
    const facts = fc.record({ hit: fc.boolean(), ttlSeconds: fc.double({ min: -1e6, max: 1e6, noNaN: true }) });
    fc.assert(
      fc.property(facts, (some) => {
        const [name, parameters] = parseList(cacheStatusOf(some))[0] ?? [];
        return name instanceof Token && parameters?.get('ttl') === Math.trunc(some.ttlSeconds) + 0;
      }),
    );
  });

  it('contains the status of a call only together with its reason (RFC 9211, 2.2)', () => {
    assert.equal(cacheStatusOf({ hit: true, fwdStatus: 200, ttlSeconds: 4 }), 'PulseCard;hit;ttl=4');
    assert.equal(cacheStatusOf({ hit: false, fwdStatus: 503, ttlSeconds: 0 }), 'PulseCard;ttl=0');
    assert.equal(
      cacheStatusOf({ hit: false, fwd: 'stale', fwdStatus: 503, ttlSeconds: 0 }),
      'PulseCard;fwd=stale;fwd-status=503;ttl=0',
    );
  });
});
