import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pulseOf } from '../../testing/fake-upstream.ts';
import fc from 'fast-check';
import type { Config } from '../../config/config.ts';
import type { BackendParts } from '../../feature.ts';
import { checkedJson, withChecksum } from '../../lib/checksum.ts';
import { until } from '../../../../testkit/src/until.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createVirtualClock } from '../../testing/virtual-clock.ts';
import { stateFolderBackend } from './open-state-folder.ts';
import { LIST_ID } from '../../upstream/subject.ts';
import { StateFolder } from './state-folder.ts';

const MODULE = new URL('state-folder.ts', import.meta.url).href;

const clock = createVirtualClock();
const answerOf = (sourceId: string) => ({
  value: pulseOf(sourceId),
  requestedAtMs: 1,
  requestedAt: 1,
  fencingToken: 1,
});
const emptyList = { ...answerOf('src_1'), value: { rows: [], unreadableRows: 0, discovered: ['src_1'] } };
const openFolder = (path: string, warn = (_message: string): void => {}) => new StateFolder(path, { clock, warn });

/** The files of one account, in an empty folder. */
async function openFiles(folder: string) {
  const files = openFolder(folder);
  await files.load();
  files.belongsTo('account A', ['key 1']);
  return files;
}

describe('StateFolder (T-30)', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'state-files-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('can restore more answers than the process may have open files', async () => {
    const files = await openFiles(folder);
    for (let index = 0; index < 600; index += 1) files.save(`src_${index}`, answerOf(`src_${index}`));
    const script = `
      const { StateFolder } = await import(${JSON.stringify(MODULE)});
      const clock = { now: () => 0, wallNow: () => 0 };
      const saved = await new StateFolder(${JSON.stringify(folder)}, { clock }).load();
      process.stdout.write(String(saved?.answers.length));`;
    const node = [process.execPath, '--conditions=source', '--input-type=module', '-e', script];
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...node]);
    assert.equal(stdout.toString(), '600');
  });

  it('counts and ignores files that are unreadable, too long, or about another source', async () => {
    const files = await openFiles(folder);
    for (let index = 0; index < 5; index += 1) files.save(`src_${index}`, answerOf(`src_${index}`));
    const paths = readdirSync(join(folder, 'answers')).map((name) => join(folder, 'answers', name));
    const textOf = (index: number): string => readFileSync(paths[index] ?? '', 'utf8');
    const changed = checkedJson(textOf(3)).replace(/("pulse":.*"sourceId":")[^"]*/, '$1src_9');
    const aboutAnother = withChecksum(changed);
    const others = ['{"version":', textOf(1) + ' '.repeat(5_000_000), textOf(4), aboutAnother];
    for (const [index, other] of others.entries()) writeFileSync(paths[index] ?? '', other);
    const warnings: string[] = [];
    const saved = await openFolder(folder, (message) => void warnings.push(message)).load();
    assert.equal(saved?.answers.length, 1);
    assert.deepEqual(warnings, [`Ignored 4 of 5 answers in "${folder}", because they cannot be read`]);
  });

  it('removes temporary files from a process that was killed while writing', async () => {
    const files = await openFiles(folder);
    files.save('src_1', answerOf('src_1'));
    const left = join(folder, 'answers', `${'0'.repeat(32)}.json.abc.new`);
    const recent = join(folder, 'answers', `${'0'.repeat(32)}.json.def.new`);
    for (const path of [left, recent]) writeFileSync(path, '{');
    utimesSync(left, 1, 1);
    assert.equal((await openFolder(folder).load())?.answers.length, 1);
    const names = readdirSync(join(folder, 'answers'));
    assert.deepEqual([names.length, names.some((name) => name.includes('abc'))], [2, false]);
  });

  it('saves nothing until it knows which account the answers belong to', async () => {
    const files = openFolder(folder);
    await files.load();
    files.save('src_1', answerOf('src_1'));
    assert.deepEqual(readdirSync(join(folder, 'answers')), []);
    assert.equal(await openFolder(folder).load(), undefined);
  });

  it('shares the folder with a process for the same account that starts simultaneously', async () => {
    const [one, other] = [openFolder(folder), openFolder(folder)];
    await Promise.all([one.load(), other.load()]);
    one.belongsTo('account A', ['key 1']);
    one.save('src_1', answerOf('src_1'));
    other.belongsTo('account A', ['key 2']);
    other.save('src_2', answerOf('src_2'));
    one.save('src_3', answerOf('src_3'));
    assert.equal((await openFolder(folder).load())?.answers.length, 3);
  });

  it('doesn’t read answers that another account’s process saved in the folder', async () => {
    const [one, other] = [await openFiles(folder), openFolder(folder)];
    one.save('src_1', answerOf('src_1'));
    other.belongsTo('account B', ['key 2']);
    assert.deepEqual((await openFolder(folder).load())?.answers, []);
  });

  it('doesn’t read answers whose account is unknown', async () => {
    const files = await openFiles(folder);
    files.save('src_1', answerOf('src_1'));
    for (const text of ['', '{}', '[]', '{"version":3,"account":"","keys":[]}']) {
      writeFileSync(join(folder, 'state.json'), withChecksum(text));
      assert.equal(await openFolder(folder).load(), undefined, text);
    }
  });

  it('restores nothing or exactly what was saved after a bit flip in a file', async () => {
    const files = await openFiles(folder);
    files.save('src_1', answerOf('src_1'));
    files.save(LIST_ID, emptyList);
    const before = await openFolder(folder).load();
    const answer = join(folder, 'answers', readdirSync(join(folder, 'answers'))[0] ?? '');
    const damage = fc.record({
      path: fc.constantFrom(answer, join(folder, 'state.json')),
      at: fc.nat(),
      bit: fc.nat(7),
    });
    const property = fc.asyncProperty(damage, async ({ path, at, bit }) => {
      const bytes = readFileSync(path);
      const flipped = Buffer.from(bytes);
      flipped[at % bytes.length]! ^= 1 << bit;
      writeFileSync(path, flipped);
      const after = await openFolder(folder).load();
      writeFileSync(path, bytes);
      if (path === answer) assert.deepEqual({ ...after, answers: before?.answers }, before);
      const isUnchanged = after === undefined || after.answers.length < 2;
      if (!isUnchanged) assert.deepEqual(after, before);
    });
    await fc.assert(property, { numRuns: 500 });
  });

  it('ignores a file with a time in the far future', async () => {
    const files = await openFiles(folder);
    files.save('src_1', answerOf('src_1'));
    for (const requestedAtMs of [9e15, Date.now() + 2 * 86_400_000]) {
      files.save('src_1', { ...answerOf('src_1'), requestedAtMs });
      assert.deepEqual((await openFolder(folder).load())?.answers, [], String(requestedAtMs));
    }
    files.save(LIST_ID, { ...emptyList, requestedAtMs: 9e15 });
    assert.equal(await openFolder(folder).load(), undefined);
  });

  it('ignores a FIFO instead of waiting for it', async () => {
    const files = await openFiles(folder);
    files.save('src_1', answerOf('src_1'));
    const answers = join(folder, 'answers');
    for (const path of [join(answers, readdirSync(answers)[0] ?? ''), join(folder, 'state.json')]) {
      rmSync(path);
      execFileSync('mkfifo', [path]);
    }
    assert.equal(await openFolder(folder).load(), undefined);
    rmSync(join(folder, 'state.json'));
    (await openFiles(folder)).save('src_2', answerOf('src_2'));
    assert.equal((await openFolder(folder).load())?.answers.length, 1);
  });
});

describe('stateFolderBackend', () => {
  it('removes the history of a source 400 days after it was last saved', async () => {
    using folder = temporaryFolder();
    const paths = [399, 401].map((days) => {
      mkdirSync(join(folder.path, 'history'), { recursive: true });
      const path = folder.file(`history/${days}.json`, '{}');
      const savedAt = new Date(clock.wallNow() - days * 86_400_000);
      utimesSync(path, savedAt, savedAt);
      return path;
    });
    const config = { expose: new Set() } as unknown as Config;
    const parts = { config, clock, warn: assert.fail } as unknown as BackendParts;
    await stateFolderBackend.open(parts, { PULSE_STATE_DIR: folder.path });
    await until('it is removed', () => paths.map((path) => existsSync(path)).join() === 'true,false');
  });
});
