import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryText } from '../../lib/stored-text.ts';
import { testLog } from '../../testing/test-log.ts';
import type { Config } from '../../config.ts';
import { expiryWords } from '../status/text-format.ts';
import { keyExpiry, openKeyExpiry } from './key-expiry.ts';

const NOW_MS = Date.parse('2026-05-08T23:59:00Z');

describe('keyExpiry()', () => {
  it('prefers the configured date to an estimate, and returns nothing if neither is known', () => {
    assert.deepEqual(keyExpiry({ statedDay: '2026-05-10', firstSeenMs: 0 }, NOW_MS), {
      day: '2026-05-10',
      inDays: 2,
      isGuess: false,
    });
    assert.deepEqual(keyExpiry({ firstSeenMs: NOW_MS - 86_400_000 }, NOW_MS), {
      day: '2026-08-05',
      inDays: 89,
      isGuess: true,
    });
    assert.equal(keyExpiry({}, NOW_MS), undefined);
  });
});

describe('expiryWords()', () => {
  for (const [inDays, words] of [
    [15, 'on 2026-05-23, in 15 days'],
    [1, 'on 2026-05-23, in 1 day'],
    [0, 'on 2026-05-23, today'],
    [-3, 'on 2026-05-23, 3 days ago'],
  ] as const)
    it(words, () => assert.equal(expiryWords({ day: '2026-05-23', inDays, isGuess: false }), words));
});

describe('openKeyExpiry()', () => {
  function open(apiKeyExpires?: string, text = { ...memoryText(), isLasting: true }) {
    const { log, clock, messages } = testLog();
    const key = { name: 'key-1' };
    const watch = openKeyExpiry({ config: { apiKeyExpires } as Config, key, text, clock, log });
    return { key, clock, text, messages, watch };
  }

  it('counts 90 days from when the key was first seen, across restarts and rotations', async () => {
    const first = open();
    assert.equal(first.watch.current(), undefined);
    await first.watch.note();
    assert.deepEqual(first.watch.current(), { day: '2026-08-06', inDays: 90, isGuess: true });
    const second = open(undefined, first.text);
    await second.clock.advance(86_400_000);
    await second.watch.note();
    assert.equal(second.watch.current()?.inDays, 89);
    second.key.name = 'key-2';
    await second.watch.note();
    assert.equal(second.watch.current()?.inDays, 90);
    second.key.name = 'key-1';
    assert.equal(second.watch.current()?.inDays, 89);
  });

  it('records a key again if it couldn’t be recorded', async (t) => {
    const { watch, text } = open();
    t.mock.method(text, 'save', () => Promise.reject(new Error('full')), { times: 1 });
    await assert.rejects(watch.note(), /full/);
    await watch.note();
    assert.match((await text.load()) ?? '', /key-1/);
  });

  it('doesn’t estimate a date if no time is stored', async () => {
    const { watch } = open(undefined, memoryText());
    await watch.note();
    assert.equal(watch.current(), undefined);
  });

  it('uses the configured date only for the key that was in use at startup', () => {
    const { watch, key } = open('2026-05-10');
    assert.equal(watch.current()?.day, '2026-05-10');
    key.name = 'key-2';
    assert.equal(watch.current(), undefined);
  });

  it('warns if the expiration date is in the past', () => {
    assert.match(open('2026-05-07').messages().join(), /^PULSE_API_KEY_EXPIRES is in the past \(2026-05-07\)/);
    assert.deepEqual(open('2026-05-08').messages(), []);
  });
});
