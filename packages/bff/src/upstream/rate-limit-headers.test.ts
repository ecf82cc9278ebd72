import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRateLimitHeaders, retryAfterMsIn } from './rate-limit-headers.ts';

const DATE = 'Fri, 08 May 2026 09:00:00 GMT';
const SECONDS = Date.parse(DATE) / 1_000;

function headersOf(limit?: string, remaining?: string, reset?: string, date: string | undefined = DATE): Headers {
  const headers = new Headers();
  if (date) headers.set('Date', date);
  if (limit !== undefined) headers.set('X-RateLimit-Limit', limit);
  if (remaining !== undefined) headers.set('X-RateLimit-Remaining', remaining);
  if (reset !== undefined) headers.set('X-RateLimit-Reset', reset);
  return headers;
}

describe('parseRateLimitHeaders()', () => {
  it('reads the limit, the remaining calls, and the reset time relative to the response’s date', () => {
    assert.deepEqual(parseRateLimitHeaders(headersOf('60', '41', `${SECONDS + 3_600}`)), {
      limit: 60,
      remaining: 41,
      resetInMs: 3_600_000,
    });
  });

  it('returns undefined if there are no headers, or the limit is 0', () => {
    for (const limit of [undefined, '0']) assert.equal(parseRateLimitHeaders(headersOf(limit)), undefined);
  });

  it('treats a reset time that has just passed as an immediate reset', () => {
    assert.equal(parseRateLimitHeaders(headersOf('60', '60', `${SECONDS - 2}`))?.resetInMs, 0);
  });

  const absurd = ['-1', '1.5', '60;w=60', '60, 60', '²', '99999999999999999999'];
  for (const text of absurd)
    it(`ignores ${JSON.stringify(text)}`, () => {
      assert.equal(parseRateLimitHeaders(headersOf(text, text, text)), undefined);
    });

  const resets: Record<string, string> = {
    milliseconds: `${SECONDS * 1_000 + 30_000}`,
    'a number of seconds': '30',
    'a time in the last year': `${SECONDS - 31_000_000}`,
    'a time in the next century': `${SECONDS + 4_000_000_000}`,
    'a date as text': DATE,
  };
  for (const [what, reset] of Object.entries(resets))
    it(`ignores a reset that is ${what}`, () => {
      assert.deepEqual(parseRateLimitHeaders(headersOf('60', '41', reset)), {
        limit: 60,
        remaining: 41,
        resetInMs: undefined,
      });
    });

  it('ignores the reset if the response has no date', () => {
    assert.equal(parseRateLimitHeaders(headersOf('60', '41', `${SECONDS + 30}`, ''))?.resetInMs, undefined);
  });

  it('ignores a remaining count above the limit', () => {
    assert.equal(parseRateLimitHeaders(headersOf('60', '61', undefined))?.remaining, undefined);
  });
});

describe('retryAfterMsIn()', () => {
  const waits: [string, number | undefined][] = [
    ['7', 7_000],
    ['0', 1_000],
    ['999999999999', 300_000],
    ['Fri, 08 May 2026 09:00:20 GMT', 20_000],
    ['Fri, 08 May 2020 09:00:20 GMT', 1_000],
    ['Fri, 08 May 2100 09:00:20 GMT', 300_000],
    ['soon', undefined],
    ['', undefined],
  ];
  for (const [said, waitMs] of waits)
    it(`reads ${JSON.stringify(said)} as ${waitMs ?? 'nothing'}`, () => {
      const headers = new Headers({ Date: DATE, 'Retry-After': said });
      assert.equal(retryAfterMsIn(headers), waitMs);
    });
});
