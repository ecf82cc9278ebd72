import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Request } from 'express';
import type { Config } from '../../config.ts';
import { ApiError } from '../../http/errors.ts';
import { testLog } from '../../testing/test-log.ts';
import { overTime } from '../../testing/virtual-clock.ts';
import { pulseRouter } from './pulse-router.ts';
import { authorizeCheck, checkOptions, openMount, type PulseBffOptions } from './mount.ts';

const CONFIG = { isMounted: true, access: 'public' } as Config;
const REQUEST = {} as Request;

function open(options: PulseBffOptions, config: Partial<Config> = {}) {
  const { log, clock, messages } = testLog();
  return { ...openMount(options, { config: { ...CONFIG, ...config }, log, clock }), messages };
}

describe('checkOptions()', () => {
  it('accepts functions, and "*" for authorize', () => {
    checkOptions({});
    checkOptions({ authorize: '*', clientKey: () => 'ann' });
    checkOptions({ authorize: () => null });
  });

  for (const options of [
    { authorize: 'everyone' },
    { authorize: undefined },
    { authorize: null },
    { authorize: ['src_1'] },
    { authorise: () => [] },
    { clientKey: '*' },
    { clientKey: 'X-User' },
  ])
    it(`rejects ${JSON.stringify(options)}`, () =>
      assert.throws(() => checkOptions(options as PulseBffOptions), TypeError));
});

describe('openMount()', () => {
  it('warns if every request is allowed to see every source, unless that’s intended', () => {
    assert.match(open({}).messages().join(), /every request may see every source/);
    assert.deepEqual(open({ authorize: '*' }).messages(), []);
    for (const config of [{ isMounted: false }, { access: 'token' }] as const)
      assert.deepEqual(open({}, config).messages(), []);
    const checks = [open({ authorize: '*' }).check, typeof open({ authorize: () => '*' }).check];
    assert.deepEqual(checks, [undefined, 'function']);
  });

  it('identifies clients by a digest, so that no log contains their names', () => {
    const [ann, again, bob] = ['ann', 'ann', 'bob'].map((name) => open({ clientKey: () => name }).nameOf?.(REQUEST));
    assert.match(ann ?? '', /^client [\w-]{16}$/);
    assert.doesNotMatch(ann ?? '', /ann/);
    assert.equal(ann, again);
    assert.notEqual(ann, bob);
    assert.match(open({ clientKey: () => 7 }).nameOf?.(REQUEST) ?? '', /^client /);
  });

  for (const [what, clientKey, warning] of [
    ['throws', () => assert.fail('no session'), /no session/],
    ['returns nothing', () => undefined, /^$/],
    ['returns an empty name', () => '', /^$/],
    ['returns no number', () => NaN, /^$/],
    ['returns a promise', () => Promise.reject(new Error('ann')), /it returned a promise/],
  ] as const)
    it(`uses the IP address if clientKey ${what}`, async () => {
      const { nameOf, messages } = open({ authorize: '*', clientKey: clientKey as never });
      assert.equal(nameOf?.(REQUEST), undefined);
      assert.match(messages().join(), warning);
      // By then, an unhandled rejection would have been reported.
      await new Promise(setImmediate);
    });

  it('logs one failure of clientKey a minute, even if each names another reader', () => {
    const names = ['anna', 'ben'];
    const { nameOf, messages } = open({ authorize: '*', clientKey: () => assert.fail(`no user ${names.shift()}`) });
    while (names.length > 0) nameOf?.(REQUEST);
    assert.deepEqual(messages(), ['clientKey() failed, so the IP address is used: no user anna']);
  });
});

/** Runs the check once. Returns its outcome, what the operator is told, and how long it took. */
async function ask(authorize: (req: Request) => unknown) {
  const { log, clock, messages } = testLog();
  const startedAt = clock.now();
  const check = authorizeCheck(authorize, { clock, log });
  const answer = await overTime(
    clock,
    check(REQUEST).catch((error: unknown) => error),
  );
  return { answer, faults: messages(), tookMs: clock.now() - startedAt };
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

  it('logs one failure a minute, even if each names another reader', async () => {
    const { log, clock, messages } = testLog();
    const names = ['anna', 'ben'];
    const check = authorizeCheck(() => Promise.reject(new Error(`no user ${names.shift()}`)), { log, clock });
    while (names.length > 0) await assert.rejects(check(REQUEST));
    assert.deepEqual(messages(), ['authorize() failed: no user anna']);
  });

  it('returns 503 if the application takes longer than 5 s', async () => {
    const { answer, faults, tookMs } = await ask(() => new Promise(() => {}));
    assert.ok(answer instanceof ApiError);
    assert.equal(tookMs, 5_000);
    assert.match(faults.join(), /it returned nothing within 5 s/);
  });
});

describe('pulseRouter()', () => {
  it('closes its BFF only once', async (t) => {
    const close = t.mock.fn(async () => {});
    const router = pulseRouter(Promise.resolve({ close } as unknown as Parameters<typeof pulseRouter>[0]));
    await Promise.all([router.close(), router.close()]);
    await router.close();
    assert.equal(close.mock.callCount(), 1);
  });
});
