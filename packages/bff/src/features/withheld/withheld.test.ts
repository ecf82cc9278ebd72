import assert from 'node:assert/strict';
import fs from 'node:fs';
import { describe, it } from 'node:test';
import { type Config, ConfigError } from '../../config.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { testLog } from '../../testing/test-log.ts';
import { until } from '../../../../testkit/src/until.ts';
import { openWithheld, textIn, writeRun } from './withheld.ts';

async function open(content: string | Buffer | undefined, { isMounted = false, keyReloadMs = 3_600_000 } = {}) {
  const folder = temporaryFolder();
  const path = folder.file('withheld');
  if (content !== undefined) fs.writeFileSync(path, content);
  const { log, clock, messages } = testLog();
  const list = await openWithheld({ withheldFile: path, keyReloadMs, isMounted } as Config, { log, clock });
  assert.ok(list);
  const end = () => (list.close(), folder.remove());
  return { list, path, clock, messages, [Symbol.dispose]: end };
}

describe('openWithheld()', () => {
  it('reads the file again within 30 s, regardless of PULSE_KEY_RELOAD_MS', async () => {
    using world = await open('run_1\n');
    assert.deepEqual([world.list.has('run_1'), world.list.has('run_2')], [true, false]);
    fs.writeFileSync(world.path, 'run_2\n');
    const { revision } = world.list;
    await world.clock.advance(30_000);
    await until('the file was read again', () => world.list.has('run_2'), { everyMs: 5 });
    assert.deepEqual(world.list.runs, ['run_2']);
    const changed = world.list.revision;
    assert.notEqual(changed, revision);
    await world.list.reload();
    assert.equal(world.list.revision, changed);
    world.list.close();
    assert.equal(world.clock.pending(), 0);
  });

  it('starts with an empty list if the file has never existed, and reads the file once it exists', async () => {
    using world = await open(undefined);
    assert.deepEqual([world.list.runs, world.list.fault], [[], undefined]);
    fs.writeFileSync(world.path, 'run_1');
    await world.list.reload();
    assert.ok(world.list.has('run_1'));
  });

  it('keeps everything withheld if the file disappears, and recreates the file when another run is withheld', async () => {
    using world = await open('# why\nrun_1\n');
    fs.rmSync(world.path);
    await world.list.reload();
    assert.deepEqual([world.list.runs, world.list.fault], [['run_1'], 'missing']);
    await world.list.set('run_2', true);
    assert.equal(fs.readFileSync(world.path, 'utf8'), '# why\nrun_1\nrun_2\n');
    assert.deepEqual([world.list.runs, world.list.fault], [['run_1', 'run_2'], undefined]);
  });

  it('keeps everything withheld if the file is no longer readable as text', async () => {
    using world = await open('run_1');
    for (const content of [Buffer.from([0xc3, 0x28]), Buffer.from('run_2\0', 'utf16le')]) {
      fs.writeFileSync(world.path, content);
      await world.list.reload();
      assert.deepEqual([world.list.runs, world.list.fault], [['run_1'], 'unreadable']);
    }
  });

  for (const [what, prepare, reason] of [
    ['can’t be read', (path: string) => fs.mkdirSync(path), 'illegal operation on a directory'],
    ['isn’t text', (path: string) => fs.writeFileSync(path, Buffer.from([0xc3])), 'it isn’t text'],
  ] as const)
    it(`fails to open if the file ${what}, and explains why`, async () => {
      using folder = temporaryFolder();
      prepare(folder.file('withheld'));
      const { log, clock } = testLog();
      const config = { withheldFile: folder.file('withheld'), keyReloadMs: 5_000, isMounted: false } as Config;
      const error = new ConfigError([`PULSE_WITHHELD_FILE: the file can’t be read: ${reason}`]);
      await assert.rejects(openWithheld(config, { log, clock }), { name: 'ConfigError', message: error.message });
      assert.equal(clock.pending(), 0);
    });

  it('reports the lines that aren’t run IDs', async () => {
    using world = await open('run_1\n../x\n# comment\n\nrun 2\n');
    assert.deepEqual(
      [world.list.runs, world.messages()],
      [['run_1'], ['PULSE_WITHHELD_FILE: line 2, 5 isn’t a run ID and is ignored']],
    );
  });

  it('restores a run and leaves other lines unchanged', async () => {
    using world = await open('# a\r\n run_1 \r\nrun_2\r\n');
    await world.list.set('run_1', false);
    assert.deepEqual(world.list.runs, ['run_2']);
    assert.match(fs.readFileSync(world.path, 'utf8'), /^# a\n/);
  });

  it('keeps all changes that are made at the same time, and ignores the lock of a killed process', async () => {
    using world = await open('run_0\n');
    fs.writeFileSync(`${world.path}.lock`, '');
    fs.utimesSync(`${world.path}.lock`, 0, 0);
    const runs = ['run_1', 'run_2', 'run_3', 'run_4'];
    await Promise.all([world.list.set('run_0', false), ...runs.map((run) => writeRun(world.path, run, true))]);
    assert.deepEqual(fs.readFileSync(world.path, 'utf8').trim().split('\n').toSorted(), runs);
    assert.equal(fs.existsSync(`${world.path}.lock`), false);
  });

  it('changes the file that a symlink leads to, because other instances may read it', async () => {
    using world = await open('run_1\n');
    fs.renameSync(world.path, `${world.path}.shared`);
    fs.symlinkSync(`${world.path}.shared`, world.path);
    await world.list.set('run_2', true);
    assert.equal(fs.readFileSync(`${world.path}.shared`, 'utf8'), 'run_1\nrun_2\n');
    assert.equal(fs.statSync(`${world.path}.shared`).mode & 0o777, 0o644);
    assert.deepEqual(world.list.runs, ['run_1', 'run_2']);
  });

  it('is writable only if its folder is, and never in a mounted router', async () => {
    using own = await open('');
    using mounted = await open('', { isMounted: true });
    assert.deepEqual([own.list.isWritable, mounted.list.isWritable], [true, false]);
    if (process.getuid?.() === 0) return;
    fs.chmodSync(own.path.replace(/\/[^/]+$/, ''), 0o500);
    assert.equal(own.list.isWritable, false);
  });
});

describe('textIn()', () => {
  for (const [what, content] of [
    ['UTF-8 with a byte order mark', Buffer.from('\uFEFFrun_1')],
    ['UTF-16 LE', Buffer.from('\uFEFFrun_1', 'utf16le')],
    ['UTF-16 BE', Buffer.from('\uFEFFrun_1', 'utf16le').swap16()],
  ] as const)
    it(`reads ${what}`, () => assert.equal(textIn(content), 'run_1'));
});
