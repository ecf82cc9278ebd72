import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { IncomingMessage } from 'node:http';
import { RefusalCounter, turnedAway } from './refusal-counter.ts';

function refusalOf(code: string | undefined, origin?: string) {
  return { code, request: { headers: { origin } } as IncomingMessage };
}

const PAGE = 'http://localhost:8123';

describe('RefusalCounter', () => {
  it('counts by code and origin', () => {
    const refusals = new RefusalCounter();
    refusals.record(refusalOf('origin_forbidden', PAGE));
    refusals.record(refusalOf('origin_forbidden', PAGE));
    refusals.record(refusalOf('origin_forbidden', 'null'));
    refusals.record(refusalOf('rate_limited'));
    refusals.record(refusalOf('token_invalid', PAGE));
    assert.deepEqual(refusals.counts(), {
      origin_forbidden: { [PAGE]: 2, null: 1 },
      rate_limited: { none: 1 },
      token_invalid: { [PAGE]: 1 },
    });
  });

  it('counts no other answer', () => {
    const refusals = new RefusalCounter();
    for (const code of [undefined, 'upstream_unavailable', 'pulse_not_found', 'not_found'])
      refusals.record(refusalOf(code, PAGE));
    assert.deepEqual(refusals.counts(), {});
  });

  it('names the source that a page asked for in vain', () => {
    const refusals = new RefusalCounter();
    refusals.record({ ...refusalOf('source_unknown', PAGE), sourceIds: ['src_old'] });
    assert.deepEqual(refusals.list(), [{ code: 'source_unknown', origin: PAGE, count: 1, sourceId: 'src_old' }]);
  });

  it('names nothing that is not an origin', () => {
    const refusals = new RefusalCounter();
    for (const origin of ['__proto__', 'https://a.test/path', '\u001b[31m', 'x'.repeat(5_000)])
      refusals.record(refusalOf('origin_forbidden', origin));
    assert.deepEqual(refusals.counts(), { origin_forbidden: { other: 4 } });
  });

  it('keeps the origins refused last, and the sum of all', () => {
    const refusals = new RefusalCounter();
    for (let at = 0; at < 5_000; at += 1) {
      refusals.record(refusalOf('origin_forbidden', `https://${at}.test`));
      refusals.record(refusalOf('origin_forbidden', PAGE));
    }
    const counts = refusals.counts()['origin_forbidden'] ?? {};
    assert.equal(counts[PAGE], 5_000);
    assert.ok(Object.keys(counts).length <= 201);
    assert.equal(
      Object.values(counts).reduce((sum, count) => sum + count, 0),
      10_000,
    );
  });
});

const SITE = 'https://blog.example.net';

describe('turnedAway()', () => {
  it('says what each refusal means and what to do, most frequent first', () =>
    assert.deepEqual(
      turnedAway([
        { code: 'source_unknown', origin: SITE, count: 3, sourceId: 'src_old' },
        { code: 'origin_forbidden', origin: SITE, count: 14 },
      ]),
      [
        {
          code: 'origin_forbidden',
          origin: SITE,
          count: 14,
          words: 'This site is not allowed',
          advice: 'If it is yours: add it to PULSE_ALLOWED_ORIGINS',
        },
        {
          code: 'source_unknown',
          origin: SITE,
          count: 3,
          sourceId: 'src_old',
          words: 'No such source',
          advice: 'A page still shows src_old',
        },
      ],
    ));

  it('does not send an operator to add "null" to the allowed origins', () =>
    assert.match(
      turnedAway([{ code: 'origin_forbidden', origin: 'null', count: 1 }])[0]?.advice ?? '',
      /^Serve the page/,
    ));
});
