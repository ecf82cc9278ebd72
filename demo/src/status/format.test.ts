import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { count, moreWords, percentage, providerName, shortDuration, siteName } from './format.ts';

describe('shortDuration()', () => {
  for (const [seconds, words] of [
    [0, '0 s'],
    [89, '89 s'],
    [90, '2 min'],
    [7_200, '2 h'],
    [259_200, '3 days'],
  ] as const) {
    it(`writes ${words}`, () => assert.equal(shortDuration(seconds), words));
  }
});

describe('count()', () => {
  it('groups digits', () => assert.equal(count(2_210), '2,210'));
});

describe('moreWords()', () => {
  for (const [total, path, words] of [
    [20, '/', ''],
    [21, '/', '1 more in /status'],
    [21, '/pulse/studio/status/', '1 more'],
  ] as const)
    it(`is ${JSON.stringify(words)} for ${total} rows at ${path}`, () => assert.equal(moreWords(total, path), words));
});

describe('percentage()', () => {
  it('never rounds up to 100%', () => assert.equal(percentage(99_999, 100_000), '99.9%'));
  it('is 100% only if the part equals the whole', () => assert.equal(percentage(3, 3), '100%'));
});

describe('providerName()', () => {
  it('spells each provider’s name the usual way', () =>
    assert.deepEqual(['GOOGLE', 'BIGQUERY', 'MYSQL'].map(providerName), ['Google', 'BigQuery', 'MySQL']));
});

describe('siteName()', () => {
  it('shows the host of an origin, or “none” if there is no origin', () =>
    assert.deepEqual(['https://a.test', 'none', 'other'].map(siteName), [
      'https://a.test',
      'no site named',
      'other sites',
    ]));
});
