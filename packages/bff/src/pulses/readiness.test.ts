import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Core, type CoreOptions, openCore } from '../testing/core.ts';
import { KEY_A, type SeenCall } from '../testing/fake-service.ts';
import { LIST } from '../upstream/target.ts';

const FORBIDDEN_LIST = { account: 'account A', forbidden: new Set(['sources'] as const) };

/** Starts a core whose calls end as `ending` specifies. */
async function begin(options: CoreOptions, ending: Core['service']['ending'] = () => undefined): Promise<Core> {
  const core = await openCore(options);
  core.service.ending = ending;
  await core.start();
  return core;
}

/** How many seconds it takes for the instance to become ready; undefined if it takes more than a minute. */
async function readyAfter(core: Core): Promise<number | undefined> {
  for (let second = 0; second <= 60; second += 1) {
    if (core.pulses.isReady()) return second;
    await core.clock.advance(1_000);
  }
  return undefined;
}

describe('Readiness', () => {
  it('is reached once the service has responded to requests for the list and the first ten sources', async () => {
    const ids = Array.from({ length: 14 }, (_, index) => `src_${index}`);
    const core = await begin({ ids });
    await core.clock.advance(150);
    assert.ok(core.answers.get(LIST));
    assert.equal(core.pulses.isReady(), false);
    await core.clock.advance(150);
    assert.equal(core.service.calls.length, 11, 'the sources are requested as soon as they are known');
    assert.ok((await readyAfter(core)) !== undefined);
    assert.equal(core.service.calls.filter(({ about }) => about !== 'list').length, 10);
  });

  it('is reached even with an empty list', async () => {
    assert.equal(await readyAfter(await begin({ ids: [] })), 1);
  });

  it('isn’t lost if a reader’s permissions reveal another source', async () => {
    const core = await begin({});
    assert.ok((await readyAfter(core)) !== undefined);
    core.service.ending = () => 'hang';
    core.pulses.ids.allow(['src_other']);
    assert.ok(core.pulses.isReady());
  });

  it('isn’t reached while nothing can be served, but calls continue', async () => {
    const core = await begin({}, () => ({ error: 'ECONNREFUSED' }));
    assert.equal(await readyAfter(core), undefined);
    const calls = core.service.calls.length;
    await core.clock.advance(60_000);
    assert.ok(core.service.calls.length > calls);
    core.service.ending = () => undefined;
    assert.ok((await readyAfter(core)) !== undefined);
  });

  const broken: [what: string, ending: (call: SeenCall) => ReturnType<Core['service']['ending']>][] = [
    ['fails', () => ({ status: 500 })],
    ['never answers', () => 'hang'],
    ['has no pulse', () => ({ status: 404 })],
  ];
  for (const [what, ending] of broken)
    it(`is reached without a list if the first ID ${what}`, async () => {
      const core = await openCore({ sources: { listed: false, ids: ['src_broken', 'src_1'] } });
      core.service.keys.set(KEY_A, FORBIDDEN_LIST);
      core.service.ending = (call) => (call.about === 'src_broken' ? ending(call) : undefined);
      await core.start();
      const seconds = await readyAfter(core);
      assert.ok(seconds !== undefined && seconds <= 12, String(seconds));
    });

  it('is reached after ten seconds if there is a list, even if the budget allows no more calls', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `src_${index}`);
    assert.equal(await readyAfter(await begin({ ids, limit: 20 })), 10);
  });

  const failing: [what: string, options: CoreOptions][] = [
    ['all configured IDs fail', { sources: { listed: false, ids: ['src_a', 'src_1'] } }],
    ['all IDs in tokens fail', { access: 'token' }],
  ];
  for (const [what, options] of failing)
    it(`isn’t reached if ${what} and the key can’t read the list`, async () => {
      const core = await openCore(options);
      core.service.keys.set(KEY_A, FORBIDDEN_LIST);
      core.service.ending = ({ about }) => (about === 'list' ? undefined : { status: 500 });
      core.pulses.ids.allow(['src_1']);
      await core.start();
      assert.equal(await readyAfter(core), undefined);
    });

  it('with tokens, is reached even if the key can’t read the list, because tokens contain the IDs', async () => {
    const core = await openCore({ access: 'token' });
    core.service.keys.set(KEY_A, FORBIDDEN_LIST);
    await core.start();
    assert.ok((await readyAfter(core)) !== undefined);
  });
});
