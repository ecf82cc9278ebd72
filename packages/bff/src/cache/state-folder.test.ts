import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pulseOf } from '../testing/fake-upstream.ts';
import { StateFolder } from './state-folder.ts';

const MODULE = new URL('state-folder.ts', import.meta.url).href;

const answerOf = (sourceId: string) => ({ sourceId, pulse: pulseOf(sourceId), requestedAtMs: 1 });

/** Files of one account, in a folder with nothing else. */
async function openFiles(folder: string) {
  const files = new StateFolder(folder);
  await files.load();
  files.belongsTo('account A', ['key 1']);
  return files;
}

describe('StateFolder', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'state-files-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('brings all answers back, with fewer file descriptors than answers', async () => {
    const files = await openFiles(folder);
    for (let index = 0; index < 600; index += 1) files.savePulse(answerOf(`src_${index}`));
    const script = `
      const { StateFolder } = await import(${JSON.stringify(MODULE)});
      const saved = await new StateFolder(${JSON.stringify(folder)}).load();
      process.stdout.write(String(saved?.pulses.length));`;
    const node = [process.execPath, '--conditions=source', '--input-type=module', '-e', script];
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...node]);
    assert.equal(stdout.toString(), '600');
  });

  it('says how many files cannot be read, are too long, or are about another source', async () => {
    const files = await openFiles(folder);
    for (let index = 0; index < 5; index += 1) files.savePulse(answerOf(`src_${index}`));
    const paths = readdirSync(join(folder, 'answers')).map((name) => join(folder, 'answers', name));
    const textOf = (index: number): string => readFileSync(paths[index] ?? '', 'utf8');
    const aboutAnother = textOf(3).replace(/("pulse":.*"sourceId":")[^"]*/, '$1src_9');
    const others = ['{"version":', textOf(1) + ' '.repeat(5_000_000), textOf(4), aboutAnother];
    for (const [index, other] of others.entries()) writeFileSync(paths[index] ?? '', other);
    const warnings: string[] = [];
    const saved = await new StateFolder(folder, { warn: (message) => warnings.push(message) }).load();
    assert.equal(saved?.pulses.length, 1);
    assert.deepEqual(warnings, [`Ignored in "${folder}": 4 of 5 answers, which cannot be read`]);
  });

  it('removes what a process left that was killed while it wrote', async () => {
    const files = await openFiles(folder);
    files.savePulse(answerOf('src_1'));
    const left = join(folder, 'answers', `${'0'.repeat(32)}.json.abc.new`);
    const recent = join(folder, 'answers', `${'0'.repeat(32)}.json.def.new`);
    for (const path of [left, recent]) writeFileSync(path, '{');
    utimesSync(left, 1, 1);
    assert.equal((await new StateFolder(folder).load())?.pulses.length, 1);
    const names = readdirSync(join(folder, 'answers'));
    assert.deepEqual([names.length, names.some((name) => name.includes('abc'))], [2, false]);
  });

  it('saves nothing before it is known whose the answers are', async () => {
    const files = new StateFolder(folder);
    await files.load();
    files.savePulse(answerOf('src_1'));
    assert.deepEqual(readdirSync(join(folder, 'answers')), []);
    assert.equal(await new StateFolder(folder).load(), undefined);
  });

  it('shares the folder with a process of the same account that was started at the same time', async () => {
    const [one, other] = [new StateFolder(folder), new StateFolder(folder)];
    await Promise.all([one.load(), other.load()]);
    one.belongsTo('account A', ['key 1']);
    one.savePulse(answerOf('src_1'));
    other.belongsTo('account A', ['key 2']);
    other.savePulse(answerOf('src_2'));
    one.savePulse(answerOf('src_3'));
    assert.equal((await new StateFolder(folder).load())?.pulses.length, 3);
  });

  it('reads no answer that a process of another account has saved beside it', async () => {
    const [one, other] = [await openFiles(folder), new StateFolder(folder)];
    one.savePulse(answerOf('src_1'));
    other.belongsTo('account B', ['key 2']);
    assert.deepEqual((await new StateFolder(folder).load())?.pulses, []);
  });

  it('reads no answers where nobody can tell whose they are', async () => {
    const files = await openFiles(folder);
    files.savePulse(answerOf('src_1'));
    for (const text of ['', '{}', '[]', '{"version":3,"account":"","keys":[]}']) {
      writeFileSync(join(folder, 'state.json'), text);
      assert.equal(await new StateFolder(folder).load(), undefined, text);
    }
  });
});
