import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import type { Config } from '../../config.ts';
import { testLog } from '../../testing/test-log.ts';
import { checkOptions, openMount, type PulseBffOptions } from './mount.ts';

const CONFIG = { isMounted: true, access: 'public' } as Config;
const REQUEST = {} as IncomingMessage;

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
    assert.deepEqual(
      [open({ authorize: '*' }).check, typeof open({ authorize: () => '*' }).check],
      [undefined, 'function'],
    );
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
    [
      'throws',
      () => {
        throw new Error('no session');
      },
      /no session/,
    ],
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
});
