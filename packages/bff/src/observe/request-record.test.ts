import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shownNetwork, shownText } from './request-record.ts';

describe('shownText() (T-25)', () => {
  for (const text of ['a\r\nb', '\u001b[2J', 'a\u2028b', 'é', '\0']) {
    it(`makes ${JSON.stringify(text)} harmless`, () => assert.match(shownText(text), /^[\x20-\x7e]+$/));
  }
  it('cuts what is long', () => assert.equal(shownText('x'.repeat(8_000)).length, 100));
});

describe('shownNetwork() (T-48)', () => {
  for (const [client, shown] of [
    ['198.51.100.7', '198.51.100.0/24'],
    ['2001:db8:1:aa00::/56', '2001:db8:1::/48'],
    ['unknown', 'unknown'],
  ] as const) {
    it(`shows ${shown} for ${client}`, () => assert.equal(shownNetwork(client), shown));
  }
});
