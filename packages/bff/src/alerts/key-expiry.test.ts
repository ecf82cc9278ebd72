import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expiryWords, keyExpiry } from './key-expiry.ts';

const NOON = Date.parse('2026-11-22T12:00:00Z');
const DAY_MS = 86_400_000;

describe('keyExpiry()', () => {
  it('takes the stated day, whenever the key was first seen', () => {
    assert.deepEqual(keyExpiry({ statedDay: '2026-12-07', firstSeenMs: 0 }, NOON), {
      day: '2026-12-07',
      inDays: 15,
      isGuess: false,
    });
  });

  it('guesses 90 days after the key was first seen', () => {
    assert.deepEqual(keyExpiry({ firstSeenMs: NOON }, NOON), { day: '2027-02-20', inDays: 90, isGuess: true });
  });

  for (const [age, inDays] of [
    [74, 16],
    [75, 15],
    [90, 0],
    [91, -1],
  ] as const) {
    it(`leaves ${inDays} days on day ${age} of a guessed key`, () => {
      assert.equal(keyExpiry({ firstSeenMs: NOON - age * DAY_MS }, NOON)?.inDays, inDays);
    });
  }

  it('counts days of the calendar, not hours', () => {
    const lateEvening = Date.parse('2026-12-06T23:59:59Z');
    assert.equal(keyExpiry({ statedDay: '2026-12-07' }, lateEvening)?.inDays, 1);
  });

  it('knows nothing where no day is stated and none is kept', () => {
    assert.equal(keyExpiry({}, NOON), undefined);
  });
});

describe('expiryWords()', () => {
  for (const [inDays, words] of [
    [15, 'on 2026-12-07, in 15 days'],
    [1, 'on 2026-12-07, in 1 day'],
    [0, 'on 2026-12-07, today'],
    [-2, 'on 2026-12-07, 2 days ago'],
  ] as const) {
    it(`says "${words}"`, () => assert.equal(expiryWords({ day: '2026-12-07', inDays, isGuess: false }), words));
  }

  it('says that a guess is one', () => {
    assert.match(expiryWords({ day: '2026-12-07', inDays: 3, isGuess: true }), /a guess.*PULSE_API_KEY_EXPIRES/);
  });
});
