import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, describe, it } from 'node:test';
import { clientAddress, openClientLimit, trustOf } from './client-limit.ts';

const requestFrom = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

const PROXY = '10.0.0.1';

describe('clientAddress()', () => {
  it('ignores X-Forwarded-For unless a proxy is trusted', () =>
    assert.equal(clientAddress(requestFrom(PROXY, '203.0.113.7'), trustOf(0)), PROXY));

  for (const [entry, address] of [
    ['203.0.113.7', '203.0.113.7'],
    ['"203.0.113.7:54321"', '203.0.113.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['"[2001:db8::1]"', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[::ffff:203.0.113.7]:80', '203.0.113.7'],
  ] as const)
    it(`reads ${entry}`, () => assert.equal(clientAddress(requestFrom(PROXY, entry), trustOf(1)), address));

  it('reads only as many entries as there are trusted proxies, starting from the right', () => {
    const request = requestFrom(PROXY, '198.51.100.9, 203.0.113.7, 10.0.0.2');
    assert.equal(clientAddress(request, trustOf(1)), '10.0.0.2');
    assert.equal(clientAddress(request, trustOf(2)), '203.0.113.7');
    assert.equal(clientAddress(request, trustOf(['10.0.0.0/8'])), '203.0.113.7');
  });

  for (const unreadable of ['unknown', '_hidden', '', '203.0.113.7.9', '203.0.113.7:port'])
    it(`stops at the last readable trusted entry before ${JSON.stringify(unreadable)}`, () => {
      const request = requestFrom(PROXY, `198.51.100.9, ${unreadable}, 10.0.0.2`);
      assert.equal(clientAddress(request, trustOf(5)), '10.0.0.2');
    });

  it('uses the proxy’s own IP address if the proxy doesn’t send an entry', () =>
    assert.equal(clientAddress(requestFrom(PROXY), trustOf(1)), PROXY));

  for (const range of ['10.0.0.1/32', '::ffff:10.0.0.0/104', '::/0'])
    it(`trusts an IPv4 peer, mapped or not, in ${range}`, () => {
      for (const peer of [PROXY, `::ffff:${PROXY}`, '::ffff:a00:1'])
        assert.equal(clientAddress(requestFrom(peer, '203.0.113.7'), trustOf([range])), '203.0.113.7');
    });
});

describe('openClientLimit()', () => {
  const limit = openClientLimit({ clientRate: 1, trustProxy: 0 });
  after(() => limit.close());
  const keyOf = (address: string) => limit.clientOf(requestFrom(address)).client;

  it('counts an IPv4 address, mapped or not, as one client', () => {
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '::ffff:cb00:7107'])
      assert.equal(keyOf(address), '203.0.113.7');
  });

  it('counts an IPv6 /56 network as one client', () => {
    assert.equal(keyOf('2001:db8:0:12::1'), keyOf('2001:db8:0:34::2'));
    assert.notEqual(keyOf('2001:db8:0:112::1'), keyOf('2001:db8:0:34::2'));
  });

  it('notices a proxy that isn’t trusted', () => {
    const trusting = openClientLimit({ clientRate: 1, trustProxy: 1 });
    after(() => trusting.close());
    const [proxied, direct] = [requestFrom(PROXY, '203.0.113.7'), requestFrom(PROXY)];
    const notices = [limit, trusting].map((each) => each.clientOf(proxied).isUntrustedProxy);
    assert.deepEqual(notices, [true, false]);
    assert.equal(limit.clientOf(direct).isUntrustedProxy, false);
    const standard = { socket: direct.socket, headers: { forwarded: 'for=203.0.113.7' } } as IncomingMessage;
    assert.equal(limit.clientOf(standard).isUntrustedProxy, true);
  });

  it('counts connections without an IP address together', () => assert.equal(keyOf(''), 'unknown'));

  it('stops its timer when it is closed', (t) => {
    const started = t.mock.method(globalThis, 'setInterval');
    const ended = t.mock.method(globalThis, 'clearInterval');
    openClientLimit({ clientRate: 1, trustProxy: 0 }).close();
    assert.equal(started.mock.callCount(), 1);
    assert.equal(ended.mock.calls.at(-1)?.arguments[0], started.mock.calls[0]?.result);
  });
});
