import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  AddressError,
  checkedLookup,
  isPrivateAddress,
  isPublicAddress,
  isPublicTarget,
  placeOf,
} from './ip-address.ts';

describe('isPublicAddress()', () => {
  for (const address of ['1.1.1.1', '93.184.216.34', '2606:4700::1111', '64:ff9b::808:808', '64:ff9b::8.8.8.8']) {
    it(`accepts ${address}`, () => assert.equal(isPublicAddress(address), true));
  }
  const refused = [
    ...'0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.9.9.9 169.254.169.254 172.16.0.1 192.0.0.1 192.168.0.1'.split(' '),
    ...'198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::ffff:7f00:1 ::ffff:10.0.0.1 ::127.0.0.1'.split(' '),
    ...'::7f00:1 ::a00:1 ::808:808 ::ffff:8.8.8.8 1::1 1fff::1 4000::1 5f00::1 8000::1 e000::1'.split(' '),
    ...'64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b::169.254.169.254 64:ff9b:1::808:808 2002:7f00:1:: 2001::1 fc00::1 fd12::1 fe80::1 ff02::1 2001:db8::1 nonsense 1.2.3'.split(
      ' ',
    ),
  ];
  for (const address of refused) it(`rejects ${address}`, () => assert.equal(isPublicAddress(address), false));
});

describe('placeOf()', () => {
  const hosts = {
    public: ['cdn.test', '1.1.1.1'],
    loopback: ['localhost', 'a.localhost', '127.9.9.9', '[::1]', '[::ffff:7f00:1]'],
    private: ['10.0.0.1', '169.254.169.254', '[fd00::1]', '[::ffff:a00:1]'],
  };
  for (const [place, names] of Object.entries(hosts))
    it(`is ${place} for ${names.join(', ')}`, () => {
      for (const name of names) assert.equal(placeOf(name), place, name);
    });
});

describe('checkedLookup()', () => {
  const lookUp = (name: string, addresses: string[], isAllowed = isPublicTarget) =>
    new Promise((settle) => {
      checkedLookup(isAllowed, async () => addresses)(name, { all: true }, (error, found) => settle(error ?? found));
    });

  it('resolves a name only if all its IP addresses are allowed', async () => {
    assert.deepEqual(await lookUp('cdn.test', ['1.1.1.1']), [{ address: '1.1.1.1', family: 4 }]);
    for (const addresses of [['10.0.0.1'], ['1.1.1.1', '127.0.0.1'], []])
      assert.ok((await lookUp('cdn.test', addresses)) instanceof AddressError, addresses.join());
    assert.ok((await lookUp('service.test', ['1.1.1.1'], isPrivateAddress)) instanceof AddressError);
  });

  it('resolves a loopback name only to loopback addresses', async () => {
    assert.deepEqual(await lookUp('localhost', ['127.0.0.1']), [{ address: '127.0.0.1', family: 4 }]);
    assert.ok((await lookUp('localhost', ['1.1.1.1'])) instanceof AddressError);
  });
});
