import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { redisAddress } from './config-schemas.ts';

describe('redisAddress()', () => {
  for (const text of [
    'redis://host',
    'rediss://user:pass@host:6380/2',
    'redis://:p%40ss@127.0.0.1:6379/',
    'redis://[::1]:6379/0',
  ])
    it(`takes ${text}`, () => {
      assert.equal(redisAddress().parse(text).reveal(), new URL(text).href);
    });

  for (const text of [
    '',
    'host:6379',
    'http://host',
    'redis:host',
    'redis://',
    'redis://host/db',
    'redis://host/1/2',
    'redis://host?tls=1',
    'redis://host#a',
    'redis://:pass%@host',
    'redis://us%zzer:pass@host',
  ])
    it(`refuses "${text}"`, () => {
      assert.ok(!redisAddress().safeParse(text).success);
    });

  it('shows itself to nobody', () => {
    const address = redisAddress().parse('rediss://user:canary@host:6379');
    for (const displayed of [
      String(address),
      JSON.stringify({ address }),
      inspect(address),
      inspect({ address }, { depth: 9, showHidden: true }),
    ])
      assert.doesNotMatch(displayed, /canary|user/);
  });
});
