import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientKeyOf, clientKeyResolver } from './client-key.ts';
import type { IncomingMessage } from 'node:http';

function requestFrom(remoteAddress: string, headers: IncomingMessage['headers'] = {}): IncomingMessage {
  const socket = { remoteAddress };
  return { socket, connection: socket, headers } as unknown as IncomingMessage;
}

describe('clientKeyOf() (T-24)', () => {
  it('treats an IPv4-mapped IPv6 address, in any notation, as the IPv4 address', () => {
    for (const address of ['::ffff:1.2.3.4', '::ffff:102:304']) assert.equal(clientKeyOf(address), '1.2.3.4');
  });

  it('treats the addresses in one IPv6 network as one client', () => {
    assert.equal(clientKeyOf('2001:db8:1:aa01::1'), clientKeyOf('2001:db8:1:aa02:ffff::2'));
    assert.notEqual(clientKeyOf('2001:db8:1::1'), clientKeyOf('2001:db8:2::1'));
  });
});

describe('clientKeyResolver() (T-24)', () => {
  it('skips only addresses of trusted proxies', () => {
    const clientOf = clientKeyResolver({ kind: 'ranges', ranges: ['10.0.0.0/8'] });
    assert.equal(clientOf(requestFrom('10.0.0.1', { 'x-forwarded-for': '6.6.6.6, 1.2.3.4, 10.0.0.2' })), '1.2.3.4');
    assert.equal(clientOf(requestFrom('9.9.9.9', { 'x-forwarded-for': '1.2.3.4' })), '9.9.9.9');
  });
});
