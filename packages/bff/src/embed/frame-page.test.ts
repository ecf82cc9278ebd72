import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framePolicy, imageOriginsOf } from './frame-page.ts';

describe('imageOriginsOf()', () => {
  for (const [address, origin] of [
    ['https://cdn.acme.test/charts/run_1.png', 'https://cdn.acme.test'],
    ['https://cdn.acme.test:8443/a;b.png', 'https://cdn.acme.test:8443'],
    ['http://127.0.0.1:4010/charts/a.png', 'http://127.0.0.1:4010'],
    ['https://[2001:db8::1]/a.png', 'https://[2001:db8::1]'],
    ['https://münchen.test/a.png', 'https://xn--mnchen-3ya.test'],
  ] as const) {
    it(`lets charts come from ${origin}`, () => assert.deepEqual(imageOriginsOf(address), [origin]));
  }

  for (const address of [null, undefined, '', 'not an address', 'data:image/png,x', 'blob:https://cdn.acme.test/1']) {
    it(`names nobody for ${address}`, () => assert.deepEqual(imageOriginsOf(address), []));
  }

  for (const address of [
    'https://cdn;sandbox/a.png',
    'https://cdn,script-src/a.png',
    'https://*/a.png',
    'https://*.acme.test/a.png',
    "https://'self'/a.png",
  ]) {
    it(`takes no other word of a policy out of ${address}`, () => {
      assert.deepEqual(imageOriginsOf(address), []);
      const [, policy] = framePolicy('*', imageOriginsOf(address));
      assert.match(policy ?? '', /; img-src 'none'; base-uri/);
    });
  }
});
