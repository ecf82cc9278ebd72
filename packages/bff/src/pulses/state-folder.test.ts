import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type Core, type CoreOptions, openCore } from '../testing/core.ts';
import { FakeService, KEY_A, pulseOf } from '../testing/fake-service.ts';
import { type TemporaryFolder, temporaryFolder } from '../testing/temporary-folder.ts';
import { createVirtualClock, overTime, type VirtualClock } from '../testing/virtual-clock.ts';
import { fileText } from '../lib/stored-text.ts';
import { LIST } from '../upstream/target.ts';
import { until } from '../../../testkit/src/until.ts';

let state: TemporaryFolder;
let folder: string;
let clock: VirtualClock;
let service: FakeService;
beforeEach(() => {
  state = temporaryFolder();
  folder = state.path;
  clock = createVirtualClock(1_000_000, Date.now());
  service = new FakeService(clock, ['src_1', 'src_2']);
});
afterEach(() => state.remove());

/** Starts a process that uses the folder, with the same clock and the same service. */
async function start(options: CoreOptions = {}): Promise<Core> {
  const core = await openCore({ clock, service, stateDir: folder, ...options });
  await core.start();
  return core;
}

/** Runs a process until it has both sources, then kills it. */
async function lived(options: CoreOptions = {}): Promise<void> {
  const core = await start(options);
  await clock.advance(6_000);
  for (const id of ['src_1', 'src_2']) await overTime(clock, Promise.resolve(core.pulses.read(id, '*', 'viewer')));
  await core.stop();
}

function down(): void {
  service.ending = () => ({ error: 'ECONNREFUSED' });
}

function runOf({ pulses }: Core, id: string): string | undefined {
  return pulses.peek(id)?.value.pulse?.jobRunId;
}

describe('StateFolder', () => {
  it('lets a restarted process show everything immediately, even while the service is down', async () => {
    await lived();
    down();
    await clock.advance(60_000);
    const core = await start();
    assert.deepEqual([runOf(core, 'src_1'), runOf(core, 'src_2'), core.pulses.isReady()], ['run_1', 'run_1', true]);
    assert.deepEqual(core.pulses.ids.all, ['src_1', 'src_2']);
    assert.ok((core.pulses.peek('src_1')?.ageMs ?? 0) >= 60_000);
  });

  it('lets a page of ten cards load within 2 s after a restart, because it records the calls', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `src_${index}`);
    service = new FakeService(clock, ids);
    const before = await start();
    await clock.advance(6_000);
    await before.stop();
    await clock.advance(80_000);
    fs.rmSync(join(folder, 'answers'), { recursive: true });
    const core = await start();
    const startedAt = clock.now();
    const page = await overTime(clock, Promise.all(ids.map(async (id) => core.pulses.read(id, '*', 'viewer'))));
    assert.ok(page.every(({ ok }) => ok));
    assert.ok(clock.now() - startedAt <= 2_000);
  });

  it('never lets crashing processes exceed the limit, even if the wall clock changes between them', async () => {
    service.hasHeaders = false;
    for (let life = 0; life < 40; life += 1) {
      if (life % 2 === 1) clock.shiftWall(70_000);
      const core = await start();
      for (const id of ['src_1', 'src_2', 'src_1']) void core.answers.fetch(id, { isAwaited: true, isForced: true });
      // The first process sends its first call after 1.7 s.
      await clock.advance(2_000);
      core.stopLoop();
      core.upstream.close();
      await clock.advance(0);
    }
    assert.ok(service.worstMinute > 20 && service.worstMinute <= 45, String(service.worstMinute));
  });

  it('never shows data that belongs to another account', async () => {
    await lived();
    service.keys.set('key-of-account-b', { account: 'account B' });
    service.pulses.set('src_1', pulseOf('src_1', 'run_of_b'));
    service.rows = [];
    service.ending = ({ about }) => (about === 'list' ? { status: 500 } : undefined);
    const core = await start({ keyFile: { text: 'key-of-account-b' } });
    assert.equal(core.pulses.peek('src_1'), undefined);
    await overTime(clock, core.answers.fetch('src_1'));
    assert.match(state.texts().join(), /run_of_b/);
    service.ending = () => undefined;
    await clock.advance(20_000);
    assert.equal(runOf(core, 'src_2'), undefined);
    assert.deepEqual(core.pulses.ids.all, []);
    await core.stop();
    assert.doesNotMatch(state.texts().join(), /"run_1"/);
  });

  it('is emptied as soon as a running process’s key belongs to another account', async () => {
    const keyFile = { text: KEY_A };
    const core = await start({ keyFile });
    await clock.advance(6_000);
    await overTime(clock, Promise.resolve(core.pulses.read('src_1', '*', 'viewer')));
    assert.match(state.texts().join(), /run_1/);
    service.keys.set('key-of-account-b', { account: 'account B' });
    service.rows = [];
    keyFile.text = 'key-of-account-b';
    await clock.advance(20_000);
    assert.doesNotMatch(state.texts().join(), /run_1|src_1/);
  });

  it('shows stored data once a new key is known to belong to the same account', async () => {
    await lived();
    service.keys.set('key-two-of-account-a', { account: 'account A' });
    const core = await start({ keyFile: { text: 'key-two-of-account-a' } });
    assert.equal(core.pulses.peek('src_1'), undefined);
    service.ending = ({ about }) => (about === 'list' ? undefined : { status: 500 });
    await clock.advance(6_000);
    assert.equal(runOf(core, 'src_1'), 'run_1');
  });

  it('keeps data that was saved before responses identified an account, if the key is the same', async () => {
    service.keys.set(KEY_A, { account: undefined });
    await lived();
    service.keys.set(KEY_A, { account: 'account A' });
    service.ending = ({ about }) => (about === 'list' ? undefined : { status: 500 });
    const core = await start();
    await clock.advance(10_000);
    assert.equal(runOf(core, 'src_1'), 'run_1');
    await core.stop();
    const again = await start();
    assert.equal(runOf(again, 'src_1'), 'run_1');
  });

  it('shows nothing that was saved before responses identified an account if the key has changed', async () => {
    service.keys.set(KEY_A, { account: undefined });
    await lived();
    service.ending = () => ({ status: 500 });
    const core = await start({ keyFile: { text: 'key-of-account-b' } });
    assert.equal(core.pulses.peek('src_1'), undefined);
  });

  it('keeps track of how long the key has been rejected, even across restarts', async () => {
    await lived();
    service.keys.set(KEY_A, { account: 'account A', isRevoked: true });
    const core = await start();
    await overTime(clock, core.answers.fetch('src_1', { isForced: true }));
    await clock.advance(100_000);
    await core.stop();
    const again = await start();
    assert.equal(runOf(again, 'src_1'), 'run_1');
    await clock.advance(500_000);
    assert.equal(again.pulses.peek('src_1'), undefined);
    service.keys.set(KEY_A, { account: 'account A' });
    await clock.advance(30_000);
    assert.equal(again.key.refusedForMs('pulse'), undefined);
  });

  it('stores only the fields that readers can currently see, and requests a source again once a field is added', async () => {
    await lived({ exposed: new Set(['link']) });
    assert.match(state.texts().join(), /"link":/);
    assert.doesNotMatch(state.texts().join(), /organization|deliveryLink/);
    const core = await start({ exposed: new Set(['link', 'organization']) });
    assert.ok((core.answers.get('src_1')?.requestedAt ?? Infinity) <= clock.now() - 15_000);
    await core.stop();
    down();
    await (await start()).stop();
    assert.doesNotMatch(state.texts().join(), /"link":|org_1/);
  });

  it('doesn’t request a source again because another BFF stored more fields', async () => {
    await lived({ exposed: new Set(['link', 'organization']) });
    const core = await start({ exposed: new Set(['organization']) });
    assert.ok((core.answers.get('src_1')?.requestedAt ?? 0) > clock.now() - 15_000);
  });

  it('contains neither the key nor the account', async () => {
    await lived();
    assert.doesNotMatch(state.texts().join(), new RegExp(`${KEY_A}|account A|owner@acme`));
  });

  it('lets the log name unreadable values once, even across restarts', async () => {
    service.pulses.set('src_1', pulseOf('src_1', 'run_1', { completedAt: 'soon' }));
    for (let life = 0; life < 2; life += 1) {
      const core = await start();
      for (let call = 0; call < 2; call += 1) await overTime(clock, core.answers.fetch('src_1', { isForced: true }));
      await core.stop();
      const expected = life === 0 ? ['The service sent unreadable values for src_1: completedAt'] : [];
      assert.deepEqual(core.warnings, expected);
    }
  });

  it('counts calls even if the machine has rebooted or the wall clock was changed', async () => {
    await lived();
    const reboots = [50_000_000, 10].map((startMs) => createVirtualClock(startMs, clock.wallNow()));
    for (const other of [...reboots, createVirtualClock(clock.now(), 0)]) {
      const core = await openCore({ clock: other, service, stateDir: folder });
      assert.ok(core.upstream.status().budget.used >= 3);
      await other.advance(70_000);
      assert.equal(core.upstream.status().budget.used, 0);
    }
  });

  it('doesn’t treat a response from the future as fresh for longer', async () => {
    await lived();
    clock.shiftWall(-3_600_000);
    const core = await start();
    assert.ok((core.answers.get('src_1')?.requestedAtMs ?? Infinity) <= clock.wallNow());
    await clock.advance(20_000);
    assert.ok((core.answers.get('src_1')?.requestedAt ?? Infinity) <= clock.now() - 15_000);
  });

  it('removes its record of calls if a newer one can’t be written', async (t) => {
    await lived();
    t.mock.method(fs, 'renameSync', () => assert.fail('the disk is full'));
    syncBuiltinESMExports();
    const core = await start();
    await overTime(clock, core.answers.fetch(LIST, { isForced: true }));
    t.mock.restoreAll();
    syncBuiltinESMExports();
    assert.equal(fs.existsSync(join(folder, 'state.json')), false);
    assert.ok(core.answers.status().stateDirFault);
  });

  it('loses the history of a source that no one has requested for 400 days', async () => {
    fs.mkdirSync(join(folder, 'history'));
    for (const [name, days] of [
      ['old', 401],
      ['new', 399],
    ] as const) {
      const path = join(folder, 'history', name);
      fs.writeFileSync(path, '');
      fs.utimesSync(path, 0, (clock.wallNow() - days * 86_400_000) / 1_000);
    }
    await start();
    await until('the old file is removed', () => !fs.existsSync(join(folder, 'history/old')));
    assert.ok(fs.existsSync(join(folder, 'history/new')));
  });

  it('ignores text that is too long', async () => {
    const path = join(folder, 'long');
    fs.writeFileSync(path, ' '.repeat(9_000_000));
    assert.equal(await fileText(path).load(), undefined);
  });

  it('can be read only by its owner', async () => {
    await lived();
    await fileText(join(folder, 'history/text.json')).save('text');
    const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
    assert.ok(files.length >= 4);
    for (const { parentPath, name } of files) assert.equal(fs.statSync(join(parentPath, name)).mode & 0o077, 0, name);
  });

  describe('if it is damaged', () => {
    const calls = () => join(folder, 'state.json');
    const fileOf = (text: RegExp): string =>
      fs
        .readdirSync(join(folder, 'answers'))
        .map((name) => join(folder, 'answers', name))
        .find((path) => text.test(fs.readFileSync(path, 'utf8'))) ?? '';
    const pulse = () => fileOf(/"target":"src_1"/);
    const list = () => fileOf(/"target":"\*list"/);
    const damages: [what: string, damage: () => void, isListLost?: true][] = [
      ['a file with one wrong number', () => replaceIn(pulse(), /"run_1"/, '"run_2"')],
      ['an empty file', () => fs.writeFileSync(pulse(), '')],
      ['a file of the wrong source', () => fs.writeFileSync(pulse(), fs.readFileSync(fileOf(/"target":"src_2"/)))],
      ['a FIFO', () => pipe(pulse())],
      ['a folder instead of a file', () => replaceByFolder(pulse())],
      ['a half-written list', () => fs.writeFileSync(list(), fs.readFileSync(list(), 'utf8').slice(0, 90)), true],
      ['a half-written state', () => fs.writeFileSync(calls(), '{"calls":[[')],
      ['a FIFO instead of the state', () => pipe(calls())],
    ];
    for (const [what, damage, isListLost] of damages)
      it(`doesn’t stop anything: ${what}`, async () => {
        await lived();
        damage();
        const core = await start();
        assert.equal(core.pulses.ids.all.length, isListLost ? 0 : 2);
        await clock.advance(10_000);
        for (const id of ['src_1', 'src_2']) {
          const lookup = await overTime(clock, Promise.resolve(core.pulses.read(id, '*', 'viewer')));
          assert.ok(lookup.ok && lookup.value.pulse?.jobRunId === 'run_1');
        }
        for (const name of fs.readdirSync(join(folder, 'answers'))) assert.match(name, /^[\da-f]{32}\.kept$/);
      });
  });

  for (const [what, path] of [
    ['can’t be created', '/proc/none/state'],
    ['is a file', '/etc/hostname'],
  ] as const)
    it(`keeps everything working and reports the problem if it ${what}`, async () => {
      const core = await openCore({ clock, service, stateDir: path });
      await core.start();
      await clock.advance(10_000);
      assert.ok(core.answers.get(LIST));
      assert.ok(core.answers.status().stateDirFault);
    });
});

function replaceIn(path: string, text: RegExp, by: string): void {
  fs.writeFileSync(path, fs.readFileSync(path, 'utf8').replace(text, by));
}

function replaceByFolder(path: string): void {
  fs.rmSync(path);
  fs.mkdirSync(path);
}

function pipe(path: string): void {
  fs.rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
}
