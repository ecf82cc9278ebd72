import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isHosted } from './hosted.ts';

describe('isHosted()', () => {
  it('is true for a URL with a key or a key file', () => {
    assert.equal(isHosted({ PULSE_BASE_URL: 'https://a.test', PULSE_API_KEY: 'k' }), true);
    assert.equal(isHosted({ PULSE_BASE_URL: 'https://a.test', PULSE_API_KEY_FILE: '/k' }), true);
  });

  it('is false if nothing is set', () => assert.equal(isHosted({ PULSE_API_KEY: '' }), false));

  const halves = { PULSE_BASE_URL: { PULSE_API_KEY: 'k' }, PULSE_API_KEY: { PULSE_BASE_URL: 'https://a.test' } };
  for (const [missing, env] of Object.entries(halves))
    it(`rejects an account without ${missing} without printing values`, () => {
      assert.throws(
        () => isHosted(env),
        ({ message }: Error) => {
          assert.ok(message.startsWith(`${missing}: is required`));
          return Object.values(env).every((value) => !message.includes(`${value} `));
        },
      );
    });
});
