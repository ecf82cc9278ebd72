import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyEndsProblem } from './key-expiry.ts';

const endsIn = (inDays: number) => keyEndsProblem({ day: '2026-12-07', inDays, isGuess: false });

describe('keyEndsProblem()', () => {
  it('returns a problem if the key expires within 15 days', () => {
    const [problem] = endsIn(15);
    assert.deepEqual([problem?.code, problem?.level], ['key_ends', 'degraded']);
    assert.match(problem?.headline ?? '', /^The API key expires on 2026-12-07, in 15 days\./);
  });

  it('returns no problem if the key expires later, or if the expiry is unknown', () =>
    assert.deepEqual([...endsIn(16), ...keyEndsProblem(undefined)], []));
});
