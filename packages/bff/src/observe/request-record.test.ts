import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientNameOf } from '../access/client-address.ts';
import { shownNetwork, shownText } from './request-record.ts';

describe('shownText() (T-25)', () => {
  for (const text of ['a\r\nb', '\u001b[2J', 'a\u2028b', 'é', '\0']) {
    it(`makes ${JSON.stringify(text)} harmless`, () => assert.match(shownText(text), /^[\x20-\x7e]+$/));
  }
  it('cuts what is long', () => assert.equal(shownText('x'.repeat(8_000)).length, 100));
});

describe('shownNetwork() (T-48)', () => {
  it('shows loopback as the network that it is in', () =>
    assert.deepEqual(['::1', '::ffff:127.0.0.1'].map(clientNameOf).map(shownNetwork), ['::/48', '127.0.0.0/24']));

  for (const [client, shown] of [
    ['198.51.100.7', '198.51.100.0/24'],
    ['2001:db8:1:aa00::/56', '2001:db8:1::/48'],
    ['2001:db8::/56', '2001:db8::/48'],
    ['2001:db8:1:0:5::/56', '2001:db8:1::/48'],
    ['::/56', '::/48'],
    ['fe80::/56', 'fe80::/48'],
    ['unknown', 'unknown'],
  ] as const) {
    it(`shows ${shown} for ${client}`, () => assert.equal(shownNetwork(client), shown));
  }
});
