import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Request } from 'express';
import { ApiError } from '../../http/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { authorizeCheck } from './mount.ts';

const REQUEST = {} as Request;

/** Runs the check once and records the errors that the operator would see. */
async function ask(authorize: (req: Request) => unknown, clock = systemClock) {
  const faults: string[] = [];
  const check = authorizeCheck(authorize, {
    clock,
    log: { warn: (message: string) => faults.push(message) > 0 } as Log,
  });
  const answer = await check(REQUEST).catch((error: unknown) => error);
  return { answer, faults };
}

describe('authorizeCheck()', () => {
  it('accepts "*", an array of IDs, and an object with a reader', async () => {
    assert.deepEqual((await ask(() => '*')).answer, { sources: '*', reader: undefined });
    assert.deepEqual((await ask(async () => ['src_1'])).answer, { sources: new Set(['src_1']), reader: undefined });
    const named = { sources: ['src_1'], reader: 'r'.repeat(256) };
    assert.deepEqual((await ask(() => named)).answer, { sources: new Set(['src_1']), reader: named.reader });
    assert.deepEqual((await ask(() => [])).answer, { sources: new Set(), reader: undefined });
  });

  it('treats only null as “no one is signed in”', async () => {
    const { answer, faults } = await ask(() => null);
    assert.ok(answer instanceof ApiError);
    assert.equal(answer.code, 'signed_out');
    assert.deepEqual(faults, []);
  });

  for (const [what, authorize, words] of [
    ['undefined', () => undefined, 'it returned nothing within 5 s'],
    ['sources: null', () => ({ sources: null }), 'sources must be'],
    ['another string', () => 'all', 'sources must be'],
    ['a Set', () => new Set(['src_1']), 'sources must be'],
    ['an invalid ID', () => ['../x'], 'sources 0 must be 1 to 128 letters'],
    ['another field', () => ({ sources: '*', user: 'u' }), 'Unrecognized key: "user"'],
    ['a number as reader', () => ({ sources: '*', reader: 7 }), 'reader must be a string'],
    ['a long reader', () => ({ sources: '*', reader: 'r'.repeat(257) }), 'reader can have up to 256 characters'],
    ['an error', () => Promise.reject(new Error('database is down')), 'database is down'],
    ['a thrown text', () => Promise.reject('text'), 'a value of type string'],
  ] as const)
    it(`returns 503 and tells the operator if authorize returns or throws ${what}`, async () => {
      const { answer, faults } = await ask(authorize);
      assert.ok(answer instanceof ApiError);
      assert.equal(answer.code, 'upstream_unavailable');
      assert.match(faults.join(), new RegExp(words));
      assert.doesNotMatch(answer.message, /database/);
    });

  it('returns 503 if the application takes longer than 5 s', async () => {
    const clock = {
      ...systemClock,
      schedule: (ms: number, run: () => void) => (assert.equal(ms, 5_000), run(), () => {}),
    };
    const { answer, faults } = await ask(() => new Promise(() => {}), clock);
    assert.ok(answer instanceof ApiError);
    assert.match(faults.join(), /it returned nothing within 5 s/);
  });
});
