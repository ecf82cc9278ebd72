import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Core, type CoreOptions, openCore } from '../testing/core.ts';
import { type Ending, KEY_A, pulseOf, rowOf, SPEC_ERROR } from '../testing/fake-service.ts';
import { overTime } from '../testing/virtual-clock.ts';
import { LIST } from '../upstream/target.ts';
import { type AllowedSources, type Lookup, Pulses, type SourceSnapshot } from './pulses.ts';

async function read({ pulses, clock }: Core, id = 'src_1', allowed: AllowedSources = '*') {
  return overTime(clock, Promise.resolve(pulses.read(id, allowed, 'viewer')));
}

async function started(options: CoreOptions = {}): Promise<Core> {
  const core = await openCore(options);
  await core.start();
  await core.clock.advance(500);
  return core;
}

function runOf(lookup: Lookup<SourceSnapshot>): string | undefined {
  return lookup.ok ? lookup.value.pulse?.jobRunId : undefined;
}

const DOWN: Ending = { error: 'ECONNREFUSED' };
const HTML: Ending = { status: 200, body: '<html>' };

describe('Pulses', () => {
  it('returns a cached pulse and its row, both the same objects as long as nothing changes', async () => {
    const core = await started();
    const one = await read(core);
    const other = await read(core);
    assert.ok(one.ok && other.ok);
    assert.deepEqual([other.cache, other.isStale, other.value.source?.id], ['hit', false, 'src_1']);
    await core.clock.advance(16_000);
    const later = await read(core);
    assert.ok(later.ok && later.value.requestedAtMs > one.value.requestedAtMs);
    assert.deepEqual([later.value.pulse === one.value.pulse, later.value.source === one.value.source], [true, true]);
    core.service.rows = [rowOf('src_1', { status: 'BROKEN' }), rowOf('src_2')];
    await core.clock.advance(130_000);
    const third = await read(core);
    assert.ok(third.ok && third.value.source?.status === 'BROKEN');
  });

  it('uses the list to test a host that was down, because no reader waits for the list', async () => {
    const core = await started({ hasAlt: true });
    core.service.ending = ({ host }) => (host === 'main' ? { status: 500 } : undefined);
    await core.clock.advance(130_000);
    assert.notEqual(core.upstream.status().hosts[0]?.state, 'closed');
    core.service.ending = () => undefined;
    await core.clock.advance(130_000);
    assert.equal(core.upstream.status().hosts[0]?.state, 'closed');
    core.service.ending = () => DOWN;
    await read(core);
    const calls = core.service.callsAbout('list');
    await core.clock.advance(60_000);
    assert.ok(core.upstream.hosts.areAllDown && core.service.callsAbout('list') > calls);
  });

  it('isn’t stale if calls are paused only because a response reported no remaining calls', async () => {
    const core = await started();
    await core.clock.advance(20_000);
    core.service.limit = core.service.arrivals.length + 1;
    await read(core, 'src_1');
    const lookup = await read(core, 'src_2');
    assert.ok(core.upstream.status().budget.pausedForMs > 0);
    assert.ok(lookup.ok && lookup.ageMs > 15_000);
    assert.equal(lookup.isStale, false);
  });

  it('passes on data that is already cached', async () => {
    const core = await started();
    await read(core);
    const seen: string[] = [];
    new Pulses({ ...core, onStored: ({ sourceId }) => seen.push(sourceId) }).close();
    assert.ok(seen.includes('src_1'));
  });

  it('waits half a second for a newer pulse, then shows the older one', async () => {
    const core = await started();
    await read(core);
    core.stopLoop();
    await core.clock.advance(16_000);
    core.service.latencyMs = 2_000;
    core.service.pulses.set('src_1', pulseOf('src_1', 'run_2'));
    const startedAt = core.clock.now();
    const lookup = await read(core);
    assert.ok(lookup.ok && !lookup.isStale && lookup.cache === 'hit');
    assert.ok(core.clock.now() - startedAt <= 520);
    await core.clock.advance(2_000);
    assert.equal(runOf(core.pulses.peek('src_1') ?? assert.fail()), 'run_2');
  });

  it('refreshes only sources that were viewed', async () => {
    const core = await started({ ids: ['src_1', 'src_2', 'src_3'] });
    await read(core);
    await core.clock.advance(14_000);
    core.pulses.read('src_1', '*', 'another viewer');
    assert.equal(core.answers.views.bestValue, 0, 'it’s still fresh');
    const calls = core.service.callsAbout('src_2');
    core.service.pulses.set('src_1', pulseOf('src_1', 'run_2'));
    await core.clock.advance(3_000);
    assert.equal(runOf(core.pulses.peek('src_1') ?? assert.fail()), 'run_2');
    await core.clock.advance(60_000);
    assert.equal(core.service.callsAbout('src_2'), calls);
  });

  it('refreshes the source with the largest views × age first', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `src_${index}`);
    const core = await started({ ids, sources: { listed: false, ids } });
    await core.clock.advance(30_000);
    const { views } = core.answers;
    for (let second = 0; second < 120; second += 1) {
      await core.clock.advance(1_000);
      for (const id of ids) views.view(id, 'viewer');
      for (let client = 0; client < 50; client += 1) views.view('src_50', `client ${client}`);
    }
    assert.ok((core.pulses.peek('src_50')?.ageMs ?? Infinity) < 20_000);
    assert.ok(views.bestValue > 0);
  });

  it('counts at most one view per client in each period', async () => {
    const core = await openCore({ sources: { listed: false, ids: ['src_1'] } });
    core.service.ending = () => 'hang';
    for (let view = 0; view < 20; view += 1) void core.pulses.read('src_1', '*', 'same client');
    void core.pulses.read('src_1', '*', null);
    assert.equal(core.answers.views.of('src_1'), 1);
    await core.clock.advance(15_001);
    void core.pulses.read('src_1', '*', 'same client');
    assert.equal(core.answers.views.of('src_1'), 2);
  });

  it('forgets IDs, rows, and views when the key belongs to another account', async () => {
    const keyFile = { text: KEY_A };
    const core = await started({ keyFile, ids: ['src_1', 'src_9'] });
    core.answers.views.view('src_1', 'viewer');
    core.pulses.ids.allow(['src_other']);
    core.service.keys.set('key-of-account-b', { account: 'account B' });
    core.service.rows.push({} as never);
    await overTime(core.clock, core.answers.fetch(LIST, { isForced: true }));
    assert.equal(core.pulses.status().unreadableRows, 1);
    core.service.ending = ({ about }) => (about === 'list' ? 'hang' : undefined);
    keyFile.text = 'key-of-account-b';
    await core.key.reload();
    await core.clock.advance(100);
    assert.deepEqual(core.service.calls.at(-1)?.about, 'list');
    await overTime(core.clock, core.answers.fetch('src_9', { isForced: true }));
    assert.deepEqual([core.pulses.ids.all, core.pulses.status().unreadableRows], [[], 0]);
    core.pulses.ids.allow(['src_9']);
    assert.equal(core.pulses.peek('src_9')?.value.source, null);
    await core.clock.advance(60_000);
    const calls = core.service.calls.filter(({ key, about }) => key === keyFile.text && about === 'src_1');
    assert.deepEqual(calls, []);
  });

  it('stops everything when it is closed', async () => {
    const core = await started({ keyFile: { text: KEY_A } });
    const seen: string[] = [];
    new Pulses({ ...core, onStored: ({ sourceId }) => seen.push(sourceId) }).close();
    core.pulses.close();
    seen.length = 0;
    core.service.pulses.set('src_9', pulseOf('src_9'));
    await overTime(core.clock, core.answers.fetch('src_9'));
    assert.deepEqual([seen, core.answers.wanted.size, core.answers.events.listenerCount('purged')], [[], 0, 0]);
    await core.stop();
    await core.clock.advance(10_000);
    assert.equal(core.clock.pending(), 0);
  });

  describe('the IDs that it knows', () => {
    it('makes no call for an unknown ID', async () => {
      const core = await started();
      await core.clock.advance(20_000);
      const calls = core.service.calls.length;
      for (const [id, code] of [
        ['src_9', 'source_unknown'],
        ['a/b', 'invalid_source_id'],
        ['', 'invalid_source_id'],
      ] as const)
        assert.deepEqual({ ...(await read(core, id)) }, { ok: false, code });
      assert.equal(core.service.calls.length, calls);
    });

    it('waits for the first list before reporting that an ID is unknown', async () => {
      const core = await openCore();
      assert.equal(runOf(await read(core)), 'run_1');
      const other = await openCore();
      other.service.ending = () => DOWN;
      const lookup = await read(other, 'src_9');
      assert.ok(!lookup.ok && lookup.code === 'upstream_unavailable');
    });

    it('remembers every ID that has ever been in the list', async () => {
      const core = await started();
      core.service.rows = [rowOf('src_2')];
      await core.clock.advance(130_000);
      assert.equal(runOf(await read(core)), 'run_1');
      const list = await overTime(core.clock, Promise.resolve(core.pulses.readList('viewer')));
      assert.ok(list.ok && list.value.value.rows.every(({ id }) => id === 'src_2'));
    });

    it('knows only the operator’s sources if the service’s list isn’t used', async () => {
      const core = await started({ sources: { listed: false, ids: ['src_1'] } });
      assert.deepEqual([(await read(core)).ok, (await read(core, 'src_2')).ok], [true, false]);
    });

    it('hides a source named in one reader’s permissions from readers who lack access', async () => {
      const core = await openCore();
      core.service.pulses.set('src_9', pulseOf('src_9'));
      core.pulses.ids.allow(['src_9']);
      assert.equal(runOf(await read(core, 'src_9', new Set(['src_9']))), 'run_1');
      assert.ok(!core.pulses.cached('src_9', '*').ok, 'while the first list is missing');
      for (const [allowed, code] of [
        ['*', 'source_unknown'],
        [new Set(['src_1']), 'token_forbidden'],
      ] as const) {
        const lookup = await read(core, 'src_9', allowed);
        const cached = core.pulses.cached('src_9', allowed);
        assert.deepEqual([!lookup.ok && lookup.code, !cached.ok && cached.code], [code, code]);
      }
      assert.equal(runOf(await read(core, 'src_9', 'all')), 'run_1');
    });

    it('remembers at most 10,000 IDs from readers’ permissions', async () => {
      const core = await started();
      core.pulses.ids.allow(Array.from({ length: 10_500 }, (_, index) => `named_${index}`));
      assert.equal(core.pulses.ids.has('named_499'), false);
      assert.equal(core.pulses.ids.has('named_500'), true);
      core.pulses.ids.allow(['named_500', 'another']);
      assert.equal(core.pulses.ids.has('named_500'), true, 'it was named again');
    });
  });

  describe('during an outage', () => {
    async function outage(ending: Ending, options: CoreOptions = {}) {
      const core = await started(options);
      await read(core);
      core.service.ending = () => ending;
      return core;
    }

    /** Lets a long time pass. Scheduled refreshes stop, because simulating each of them would take time. */
    async function wait(core: Core, forMs: number): Promise<void> {
      await core.clock.advance(130_000);
      core.stopLoop();
      await core.clock.advance(forMs - 130_000);
    }

    for (const ending of [DOWN, HTML, { status: 429 }, 'hang', { status: 404, body: SPEC_ERROR }] as const)
      it(`shows the last pulse for a day, marked as stale: ${JSON.stringify(ending)}`, async () => {
        const core = await outage(ending);
        await wait(core, 86_000_000);
        const lookup = await read(core);
        assert.ok(lookup.ok && lookup.isStale);
        assert.equal(runOf(lookup), 'run_1');
        assert.ok(lookup.staleForMs > 0 && lookup.staleForMs < 430_000);
        await core.clock.advance(430_000);
        assert.ok(!(await read(core)).ok);
      });

    it('shows the last pulse for ten minutes if the key is rejected, and reports the remaining time', async () => {
      const core = await outage({ status: 401 });
      await core.clock.advance(130_000);
      const lookup = await read(core);
      assert.ok(lookup.ok && lookup.isStale);
      assert.ok(lookup.staleForMs > 400_000 && lookup.staleForMs <= 600_000, String(lookup.staleForMs));
      await core.clock.advance(600_000);
      const expired = await read(core);
      assert.ok(!expired.ok && expired.code === 'upstream_auth');
    });

    it('shows a fresh pulse even if the key is rejected and PULSE_AUTH_STALE_MS is 0', async () => {
      const core = await outage({ status: 401 }, { authStaleMs: 0 });
      await overTime(core.clock, core.answers.fetch(LIST, { isForced: true }));
      assert.ok(core.key.refusedForMs('pulse') !== undefined && core.pulses.peek('src_1'));
      await core.clock.advance(15_000);
      assert.equal(core.pulses.peek('src_1'), undefined);
    });

    it('keeps pulses fresh if the list is the only thing that the key isn’t allowed to read', async () => {
      const core = await started();
      await read(core);
      core.service.keys.set(KEY_A, { account: 'account A', forbidden: new Set(['sources'] as const) });
      await wait(core, 3_600_000);
      await read(core);
      const lookup = await read(core);
      assert.ok(lookup.ok && !lookup.isStale);
    });

    it('shows fresh pulses soon after the outage ends', async () => {
      const core = await outage(DOWN);
      const viewFor = async (seconds: number) => {
        for (let second = 0; second < seconds; second += 1) {
          await core.clock.advance(1_000);
          void core.pulses.read('src_1', '*', `viewer ${second}`);
        }
      };
      await viewFor(90);
      core.service.ending = () => undefined;
      core.service.pulses.set('src_1', pulseOf('src_1', 'run_2'));
      await viewFor(20);
      assert.equal(runOf(core.pulses.peek('src_1') ?? assert.fail()), 'run_2');
    });

    it('marks pulses as stale even if their own source didn’t fail, including while the host is retried', async () => {
      const core = await outage(DOWN);
      const stale: boolean[] = [];
      for (let step = 0; step < 430; step += 1) {
        await core.clock.advance(100);
        stale.push(core.pulses.peek('src_2')?.isStale ?? false);
      }
      // None of them becomes fresh again.
      assert.ok(stale.lastIndexOf(false) < stale.indexOf(true));
    });

    it('makes no reader wait for a host that was down', async () => {
      const core = await outage(DOWN);
      core.stopLoop();
      while (!core.upstream.hosts.areAllDown) {
        await core.clock.advance(10_000);
        await overTime(core.clock, core.answers.fetch(LIST, { isForced: true }));
      }
      await core.clock.advance(7_500);
      const startedAt = core.clock.now();
      assert.ok((await read(core, 'src_2')).ok);
      assert.equal(core.clock.now(), startedAt);
    });

    it('responds before the deadline even if there is nothing to show', async () => {
      const core = await outage('hang');
      const startedAt = core.clock.now();
      core.pulses.ids.allow(['src_9']);
      const lookup = await read(core, 'src_9', new Set(['src_9']));
      assert.ok(!lookup.ok && lookup.code === 'upstream_unavailable' && (lookup.retryInMs ?? 0) > 0);
      assert.ok(core.clock.now() - startedAt <= 5_010);
    });
  });

  it('reserves a third of the largest burst of calls for readers who are waiting', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `src_${index}`);
    const core = await started({ ids, sources: { listed: false, ids } });
    await core.clock.advance(60_000);
    for (const id of ids) core.answers.views.view(id, 'viewer');
    const { maxLeft } = core.upstream.status().budget;
    const before = core.service.calls.length;
    await core.clock.advance(2_000);
    const calls = core.service.calls.length - before;
    assert.ok(calls > 1 && calls <= (2 / 3) * maxLeft, `${calls} of ${maxLeft}`);
  });

  it('marks a pulse as stale once it’s three times as old as PULSE_FRESH_MS', async () => {
    const core = await started();
    await read(core);
    core.stopLoop();
    for (const [ageMs, isStale] of [
      [44_999, false],
      [45_000, true],
    ] as const) {
      await core.clock.advance(ageMs - (core.pulses.peek('src_1')?.ageMs ?? 0));
      assert.equal(core.pulses.peek('src_1')?.isStale, isStale, String(ageMs));
    }
  });

  it('shows a page of ten cards within 6 s of a cold start, without an error in the meantime', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `src_${index}`);
    const core = await openCore({ ids, isCold: true });
    await core.start();
    const startedAt = core.clock.now();
    const page = Promise.all(ids.map(async (id) => core.pulses.read(id, '*', 'viewer')));
    assert.ok((await overTime(core.clock, page)).every(({ ok }) => ok));
    assert.ok(core.clock.now() - startedAt <= 6_000);
  });

  it('shows a reader the latest pulses of a whole page that no one has viewed for a while', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `src_${index}`);
    const core = await started({ ids, sources: { listed: false, ids } });
    for (const id of ids) await read(core, id);
    await core.clock.advance(300_000);
    const lookups = await overTime(core.clock, Promise.all(ids.map((id) => core.pulses.read(id, '*', 'viewer'))));
    assert.ok(lookups.every((lookup) => lookup.ok && !lookup.isStale && lookup.cache === 'stale'));
  });

  it('reports every source', async () => {
    const core = await started();
    await read(core);
    core.service.ending = ({ about }) => (about === 'src_1' ? { status: 200, body: {} } : undefined);
    await core.clock.advance(20_000);
    await read(core);
    const { sources, list, ready } = core.pulses.status();
    assert.deepEqual([ready, list.hasPulse, list.sourceId], [true, false, LIST]);
    const [source] = sources;
    assert.equal(source?.lastFailure?.code, 'invalid');
    assert.deepEqual([source?.hasPulse, source?.isStale, source?.freshness], [true, true, 'stale']);
    core.stopLoop();
    await core.clock.advance(86_400_000);
    assert.equal(core.pulses.status().sources[0]?.freshness, 'expired');
  });
});
