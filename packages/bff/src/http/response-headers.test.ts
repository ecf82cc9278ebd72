import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, it, mock } from 'node:test';
import {
  mergeVary,
  stricterCacheControl,
  writeHead,
  cacheStatusOf,
  cacheControlOf,
  cdnCacheControlOf,
  freshnessHeaders,
} from './response-headers.ts';
import fc from 'fast-check';
import { parseList, Token } from 'structured-headers';

const PUBLIC = 'public, max-age=5, stale-while-revalidate=30, stale-if-error=86400';

describe('stricterCacheControl()', () => {
  const cases: readonly (readonly [existing: string | undefined, own: string, merged: string])[] = [
    [undefined, PUBLIC, PUBLIC],
    ['private, no-store', PUBLIC, 'private, no-store'],
    ['no-store', 'private, max-age=5', 'no-store, private'],
    ['private', PUBLIC, 'private, max-age=5, stale-while-revalidate=30, stale-if-error=86400'],
    ['PRIVATE', 'no-store', 'private, no-store'],
    ['public, max-age=3600', PUBLIC, PUBLIC],
    ['max-age=2', PUBLIC, 'max-age=2, public, stale-while-revalidate=30, stale-if-error=86400'],
    ['no-cache', PUBLIC, 'no-cache, public, max-age=5'],
    ['max-age=0, must-revalidate', PUBLIC, 'max-age=0, must-revalidate, public'],
    ['max-age=soon', PUBLIC, 'max-age=0, public, stale-while-revalidate=30, stale-if-error=86400'],
    ['private', 'public, max-age=31536000, immutable', 'private, max-age=31536000, immutable'],
    ['no-transform', 'no-store', 'no-transform, no-store'],
  ];
  for (const [existing, own, merged] of cases) {
    it(`makes "${merged}" of "${existing ?? ''}" and "${own}"`, () =>
      assert.equal(stricterCacheControl(existing, own), merged));
  }
});

describe('writeHead()', () => {
  const written = (prepare: (response: ServerResponse) => void): ServerResponse => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    prepare(response);
    writeHead(response, 200, ['Vary', 'Origin', 'Age', '3']);
    return response;
  };

  it('keeps what the application has set', () => {
    const response = written((own) => own.setHeader('Vary', 'Cookie').setHeader('Set-Cookie', ['a=1', 'b=2']));
    assert.deepEqual({ ...response.getHeaders() }, { vary: 'Cookie, Origin', age: '3', 'set-cookie': ['a=1', 'b=2'] });
  });

  it('sets each header by its name where middleware waits for the head, as on-headers does', () => {
    let head = mock.fn<ServerResponse['writeHead']>();
    const response = written((own) => (head = mock.method(own, 'writeHead')));
    assert.deepEqual(head.mock.calls[0]?.arguments, [200]);
    assert.equal(response.getHeader('Age'), '3');
  });
});

describe('mergeVary()', () => {
  const cases: readonly (readonly [existing: string | string[] | undefined, added: string, merged: string])[] = [
    [undefined, 'Accept-Encoding', 'Accept-Encoding'],
    ['Cookie', 'Accept-Encoding, Origin', 'Cookie, Accept-Encoding, Origin'],
    ['accept-encoding', 'Accept-Encoding', 'Accept-Encoding'],
    [['Cookie', 'Origin'], 'Origin', 'Cookie, Origin'],
    ['*', 'Origin', '*'],
  ];
  for (const [existing, added, merged] of cases) {
    it(`makes "${merged}" of "${String(existing ?? '')}" and "${added}"`, () =>
      assert.equal(mergeVary(existing, added), merged));
  }
});

const freshnessPolicy = { freshForMs: 15_000, staleForMs: 86_400_000 };

describe('cacheControlOf()', () => {
  it('lets a cache in front answer for five seconds from now, whatever the age', () => {
    assert.match(cacheControlOf(0, false, freshnessPolicy), /^public, max-age=5, /);
    assert.match(cacheControlOf(7, false, freshnessPolicy), /^public, max-age=12, /);
  });

  it('never allows more than the freshness of the answer', () => {
    assert.match(cacheControlOf(13, false, freshnessPolicy), /max-age=15,/);
    assert.match(cacheControlOf(0, false, { ...freshnessPolicy, freshForMs: 2_000 }), /max-age=2,/);
  });

  it('allows a second where the answer is stale', () => {
    assert.match(cacheControlOf(4_000, true, freshnessPolicy), /max-age=1,/);
  });

  it('offers the stale answer while asking again, and on errors as long as the BFF itself does', () => {
    assert.match(cacheControlOf(0, false, freshnessPolicy), /stale-while-revalidate=30, stale-if-error=86400$/);
    const brief = cacheControlOf(0, false, { ...freshnessPolicy, staleForMs: 10_000 });
    assert.match(brief, /stale-while-revalidate=10, stale-if-error=10$/);
  });
});

describe('cdnCacheControlOf()', () => {
  it('says what is said to browsers, while the answer is fresh', () => {
    for (const age of [0, 7, 13])
      assert.equal(cdnCacheControlOf(age, false, freshnessPolicy), cacheControlOf(age, false, freshnessPolicy));
  });

  it('gives a cache that takes the age off a second with any answer', () => {
    assert.match(cdnCacheControlOf(20, false, freshnessPolicy), /^public, max-age=21, /);
    assert.match(cdnCacheControlOf(4_000, true, freshnessPolicy), /^public, max-age=4001, /);
  });
});

describe('freshnessHeaders()', () => {
  const facts = { hit: true, ttlSeconds: 3 };

  it('rounds the age down to whole seconds, never below zero', () => {
    assert.deepEqual(freshnessHeaders({ ageMs: 12_999, stale: false, facts }, freshnessPolicy).slice(0, 2), [
      'Age',
      '12',
    ]);
    assert.deepEqual(freshnessHeaders({ ageMs: -5, stale: false, facts }, freshnessPolicy).slice(0, 2), ['Age', '0']);
  });

  it('keeps an answer with a passing failure out of every cache', () => {
    const headers = freshnessHeaders({ ageMs: 0, stale: false, facts, isPassing: true }, freshnessPolicy);
    assert.equal(headers[3], 'no-store');
    assert.equal(headers[5], 'no-store');
  });
});

describe('cacheStatusOf()', () => {
  it('says hit with the freshness left', () => {
    assert.equal(cacheStatusOf({ hit: true, ttlSeconds: 12 }), 'PulseCard;hit;ttl=12');
  });

  it('says negative freshness for a stale hit, with the reason', () => {
    const status = cacheStatusOf({ hit: true, ttlSeconds: -12, detail: 'upstream-unavailable' });
    assert.equal(status, 'PulseCard;hit;ttl=-12;detail=upstream-unavailable');
  });

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
