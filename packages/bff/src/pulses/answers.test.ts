import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Core, openCore, spendBudget } from '../testing/core.ts';
import { KEY_A, pulseOf, SPEC_ERROR } from '../testing/fake-service.ts';
import { stubStore } from '../testing/stub-store.ts';
import { overTime } from '../testing/virtual-clock.ts';
import { LocalCallBudget } from '../upstream/call-budget.ts';
import { LIST } from '../upstream/target.ts';
import type { FetchOptions } from './answers.ts';
import type { Entry } from './entry-format.ts';

const KEY_B = 'key-of-account-b';

/** Fetches a target, and lets time pass until the fetch completes. */
async function fetch({ answers, clock }: Core, target: string, options: FetchOptions = { isAwaited: true }) {
  return overTime(clock, answers.fetch(target, options));
}

/** A core with a store that instances share, and what is in the store. */
async function openShared() {
  const stored = new Map<string, Entry>();
  const locks = new Set<string>();
  const settings = { limit: 60, windowMs: 60_000, reserve: 15, callMs: 5_000 };
  const store = stubStore({
    budget: new LocalCallBudget(settings, { startedAt: 0, earlierCalls: [] }),
    load: async (target) => stored.get(target),
    save: (target, entry) => void stored.set(target, entry),
    lock: async (target) => !locks.has(target) && locks.add(target).size > 0,
    unlock: (target) => void locks.delete(target),
  });
  return { core: await openCore({ store }), stored, locks };
}

function runOf({ answers }: Core, target: string): string | undefined {
  const value = answers.get(target)?.value;
  return value && 'jobRunId' in value ? value.jobRunId : undefined;
}

describe('Answers', () => {
  it('makes one call for everyone who is waiting, then responds from memory', async () => {
    const core = await openCore();
    const waiting = Promise.all([1, 2, 3].map(() => core.answers.fetch('src_1')));
    assert.deepEqual(await overTime(core.clock, waiting), [undefined, undefined, undefined]);
    assert.equal(runOf(core, 'src_1'), 'run_1');
    await fetch(core, 'src_1');
    assert.equal(core.service.callsAbout('src_1'), 1);
  });

  it('measures freshness from the request, not from the response', async () => {
    const core = await openCore();
    core.service.latencyMs = 4_000;
    await fetch(core, 'src_1');
    await core.clock.advance(10_900);
    await fetch(core, 'src_1');
    assert.equal(core.service.callsAbout('src_1'), 1);
    await core.clock.advance(200);
    await fetch(core, 'src_1');
    assert.equal(core.service.callsAbout('src_1'), 2);
  });

  it('waits for the budget if a reader without a response joins a refresh', async () => {
    const core = await openCore();
    spendBudget(core);
    void core.answers.fetch('src_1');
    assert.equal(await fetch(core, 'src_1'), undefined);
  });

  describe('when the key belongs to another account', () => {
    async function rotated() {
      const keyFile = { text: KEY_A };
      const core = await openCore({ keyFile });
      core.service.keys.set(KEY_B, { account: 'account B' });
      await fetch(core, LIST);
      await fetch(core, 'src_1');
      const use = async (key: string) => {
        keyFile.text = key;
        await core.key.reload();
      };
      return { core, use };
    }

    it('drops every stored response before it uses one from another account', async () => {
      const { core, use } = await rotated();
      let purges = 0;
      core.answers.events.on('purged', () => (purges += 1));
      await use(KEY_B);
      core.service.pulses.set('src_2', pulseOf('src_2', 'run_of_b'));
      assert.equal(await fetch(core, 'src_2'), undefined);
      assert.equal(runOf(core, 'src_2'), 'run_of_b');
      assert.equal(core.answers.get('src_1'), undefined);
      assert.equal(core.answers.get(LIST), undefined);
      assert.deepEqual([...core.answers.listedIds.keys()], []);
      await fetch(core, 'src_1');
      assert.deepEqual([purges, runOf(core, 'src_2')], [1, 'run_of_b']);
      await use(KEY_A);
      assert.equal((await fetch(core, 'src_9'))?.code, 'account_changed');
    });

    it('drops a response that was requested with the previous key', async () => {
      const { core, use } = await rotated();
      core.service.latencyMs = 1_000;
      const late = core.answers.fetch('src_2');
      await core.clock.advance(100);
      await use(KEY_B);
      core.service.latencyMs = 100;
      await fetch(core, LIST, { isForced: true });
      await overTime(core.clock, late);
      await core.clock.advance(1_000);
      assert.equal(core.answers.get('src_2'), undefined);
    });

    it('ignores a 404 that doesn’t identify its account', async () => {
      const { core, use } = await rotated();
      await use(KEY_B);
      core.service.pulses.delete('src_2');
      assert.equal((await fetch(core, 'src_2'))?.code, 'account_changed');
      assert.equal(runOf(core, 'src_1'), 'run_1');
    });

    it('ignores a first 404 if the key was replaced in the meantime', async () => {
      const keyFile = { text: KEY_A };
      const core = await openCore({ keyFile, ids: [] });
      const late = core.answers.fetch('src_1', { isAwaited: true });
      await core.clock.advance(10);
      keyFile.text = KEY_B;
      await core.key.reload();
      assert.equal((await overTime(core.clock, late))?.code, 'account_changed');
    });

    it('keeps every response if the new key belongs to the same account', async () => {
      const { core, use } = await rotated();
      core.service.keys.set(KEY_B, { account: 'account A' });
      await use(KEY_B);
      await fetch(core, 'src_2');
      assert.equal(runOf(core, 'src_1'), 'run_1');
    });
  });

  describe('when the service returns 404', () => {
    async function after404(change: (core: Core) => void) {
      const core = await openCore();
      await fetch(core, LIST);
      await fetch(core, 'src_1');
      await core.clock.advance(20_000);
      change(core);
      const result = await fetch(core, 'src_1');
      return { core, result };
    }

    it('removes the pulse if the list can still be read', async () => {
      const { core } = await after404(({ service }) => service.pulses.delete('src_1'));
      assert.equal(core.answers.get('src_1')?.value, null);
      assert.notEqual(core.answers.accountName, core.key.name, 'the account stays known');
    });

    for (const [what, list] of [
      ['returns 404 for everything', { status: 404, body: SPEC_ERROR }],
      ['has no readable list', { status: 200, body: { sources: 7 } }],
      ['is down for the list', { error: 'ECONNRESET' }],
    ] as const)
      it(`keeps the pulse if the service ${what}`, async () => {
        const { core, result } = await after404(({ service }) => {
          service.ending = ({ about }) => (about === 'list' ? list : { status: 404, body: SPEC_ERROR });
        });
        assert.equal(result?.code, 'not_found_everywhere');
        assert.equal(runOf(core, 'src_1'), 'run_1');
      });

    it('removes the pulse if the key isn’t allowed to read the list', async () => {
      const { core } = await after404(({ service }) => {
        service.keys.set(KEY_A, { account: 'account A', forbidden: new Set(['sources'] as const) });
        service.pulses.delete('src_1');
      });
      assert.equal(core.answers.get('src_1')?.value, null);
      assert.notEqual(core.upstream.hosts.trusts404('main', core.clock.now()), false);
    });
  });

  it('uses responses stored by another instance, unless they belong to another account', async () => {
    const { core, stored } = await openShared();
    await fetch(core, LIST);
    await fetch(core, 'src_1');
    const own = core.answers.get('src_1');
    assert.ok(own);
    const entryOf = (run: string, owner: Partial<Entry>): Entry => {
      const now = core.clock.now();
      return { ...own, value: pulseOf('src_1', run), requestedAt: now, requestedAtMs: core.clock.wallNow(), ...owner };
    };
    stored.set('src_1', entryOf('run_foreign', { account: 'another', keyName: 'another' }));
    await core.clock.advance(1_000);
    await fetch(core, 'src_1');
    assert.equal(runOf(core, 'src_1'), 'run_1');
    stored.set('src_1', entryOf('run_2', {}));
    await fetch(core, 'src_1');
    assert.equal(runOf(core, 'src_1'), 'run_2');
    stored.set('src_1', { ...entryOf('run_0', {}), requestedAt: 0, requestedAtMs: 0 });
    await fetch(core, 'src_1');
    assert.equal(runOf(core, 'src_1'), 'run_2');
  });

  it('shares its responses, and waits while another instance calls the service', async () => {
    const { core, stored, locks } = await openShared();
    await fetch(core, 'src_1');
    const own = stored.get('src_1') ?? assert.fail('it isn’t shared');
    assert.deepEqual([...locks], []);
    locks.add('src_2');
    stored.set('src_2', { ...own, requestedAt: own.requestedAt - 20_000 });
    const waiting = core.answers.fetch('src_2');
    await core.clock.advance(500);
    stored.set('src_2', { ...own, value: pulseOf('src_2', 'run_shared'), requestedAt: core.clock.now() });
    await overTime(core.clock, waiting);
    assert.deepEqual([runOf(core, 'src_2'), core.service.callsAbout('src_2')], ['run_shared', 0]);
  });

  it('ends a reader’s wait as soon as another instance has stored the response', async () => {
    const { core, stored } = await openShared();
    await fetch(core, 'src_2');
    const own = stored.get('src_2') ?? assert.fail('it isn’t shared');
    core.service.latencyMs = 1_000;
    const startedAt = core.clock.now();
    const waiting = core.answers.fetch('src_1', { isAwaited: true });
    await core.clock.advance(100);
    stored.set('src_1', { ...own, value: pulseOf('src_1', 'run_shared'), requestedAt: core.clock.now() });
    void core.answers.fetch('src_1');
    assert.equal(await overTime(core.clock, waiting), undefined);
    assert.deepEqual([runOf(core, 'src_1'), core.clock.now() - startedAt], ['run_shared', 100]);
  });

  it('reports an internal error to the log', async () => {
    const { core, locks } = await openShared();
    locks.has = () => assert.fail('a bug');
    assert.equal((await fetch(core, 'src_1'))?.code, 'fault');
    assert.equal(core.faults.length, 1);
  });

  it('reports an internal error of a listener to the log', async () => {
    const core = await openCore();
    core.answers.events.on('stored', () => assert.fail('a bug'));
    await fetch(core, 'src_1');
    assert.deepEqual([core.faults.length, runOf(core, 'src_1')], [1, 'run_1']);
  });

  it('remembers the 5,000 IDs that were listed last', async () => {
    const { core, stored } = await openShared();
    await fetch(core, LIST);
    const own = stored.get(LIST) ?? assert.fail('it isn’t shared');
    const { listedIds } = core.answers;
    stored.set(LIST, { ...own, listed: Array.from({ length: 4_998 }, (_, at) => `old_${at}`) });
    await fetch(core, LIST, { isForced: true });
    stored.set(LIST, { ...own, listed: ['new_1', 'new_2'] });
    await fetch(core, LIST);
    assert.equal(listedIds.size, 5_000);
    assert.deepEqual([...listedIds.keys()].slice(0, 4), ['new_2', 'new_1', 'src_2', 'src_1']);
  });

  it('uses at most 64 MiB', async () => {
    const { core, stored } = await openShared();
    await fetch(core, 'src_1');
    const own = core.answers.get('src_1') ?? assert.fail();
    const aiSummaryLong = 'x'.repeat(1_000_000);
    for (let at = 0; at < 40; at += 1) {
      stored.set(`big_${at}`, { ...own, value: pulseOf(`big_${at}`, 'run_1', { aiSummaryLong }) });
      await fetch(core, `big_${at}`);
    }
    const kept = [...stored.keys()].filter((target) => core.answers.get(target) !== undefined);
    assert.ok(kept.length > 30 && kept.length < 35, String(kept.length));
  });
});
