import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { StaticFolder } from './static-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'static-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** One export that writes these files, with their names as content. */
async function exported(files: readonly string[], mayBeNamed = (_path: string) => false): Promise<void> {
  const folder = await StaticFolder.open(root);
  for (const file of files) await folder.write(file, file);
  await folder.finish([], mayBeNamed);
  folder.close();
}

function filesIn(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.pulse-export'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

describe('StaticFolder', () => {
  it('leaves nothing but the files behind, neither temporary ones nor its lock', async () => {
    await exported(['a/b/c', 'd']);
    assert.deepEqual(filesIn(root), ['a/b/c', 'd']);
    assert.deepEqual(readdirSync(root).sort(), ['.pulse-export.json', 'a', 'd']);
  });

  it('removes what an earlier export wrote and this one did not, with folders that are empty then', async () => {
    await exported(['a/b/c', 'd']);
    await exported(['d']);
    assert.deepEqual(filesIn(root), ['d']);
    assert.equal(existsSync(join(root, 'a')), false);
  });

  it('removes what readers may still ask for one export later', async () => {
    const isChart = (path: string): boolean => path.endsWith('.png');
    await exported(['a/1.png'], isChart);
    await exported(['a/2.png'], isChart);
    assert.deepEqual(filesIn(root), ['a/1.png', 'a/2.png']);
    await exported(['a/2.png'], isChart);
    assert.deepEqual(filesIn(root), ['a/2.png']);
  });

  it('neither overwrites nor removes what others put there', async () => {
    writeFileSync(join(root, 'index.html'), 'mine');
    await exported(['d']);
    await exported([]);
    const folder = await StaticFolder.open(root);
    await assert.rejects(folder.write('index.html', 'theirs'), { name: 'FolderError', message: /index\.html/ });
    folder.close();
    assert.equal(readFileSync(join(root, 'index.html'), 'utf8'), 'mine');
  });

  it('keeps a file of an earlier export, where there is one', async () => {
    await exported(['a', 'b']);
    const folder = await StaticFolder.open(root);
    assert.deepEqual([await folder.keep('a'), await folder.keep('c'), await folder.read('b')], [true, false, 'b']);
    await folder.finish([], () => false);
    folder.close();
    assert.deepEqual(filesIn(root), ['a']);
  });

  it('has the old files whole where an export ends before its end', async () => {
    await exported(['a', 'b']);
    const folder = await StaticFolder.open(root);
    await folder.write('a', 'new');
    folder.close();
    assert.deepEqual(filesIn(root), ['a', 'b']);
    await exported(['a', 'b']);
    assert.deepEqual(filesIn(root), ['a', 'b']);
  });

  it('is refused while another export writes, and says what to do about the lock of one that was killed', async () => {
    const folder = await StaticFolder.open(root);
    await assert.rejects(StaticFolder.open(root), {
      name: 'FolderError',
      message: /another export writes there; if it was killed, remove \S+\/\.pulse-export\.lock$/,
    });
    folder.close();
    (await StaticFolder.open(root)).close();
  });

  describe('of which an attacker can write (T-71)', () => {
    let outside: string;
    const victim = (): string => join(outside, 'victim');
    const isUntouched = (): void => {
      assert.deepEqual(readdirSync(outside), ['victim']);
      assert.equal(readFileSync(victim(), 'utf8'), 'mine');
    };
    beforeEach(() => {
      outside = mkdtempSync(join(tmpdir(), 'outside-'));
      writeFileSync(victim(), 'mine');
    });
    afterEach(() => rmSync(outside, { recursive: true, force: true }));

    it('follows no link in the place of an unfinished file', async () => {
      symlinkSync(victim(), join(root, '.pulses.tmp'));
      symlinkSync(victim(), join(root, '.pulse-export.json.tmp'));
      await exported(['pulses']);
      isUntouched();
    });

    it('replaces a link in the place of its own file, and what it leads to stays', async () => {
      await exported(['a']);
      rmSync(join(root, 'a'));
      symlinkSync(victim(), join(root, 'a'));
      await exported(['a']);
      isUntouched();
      assert.equal(readFileSync(join(root, 'a'), 'utf8'), 'a');
    });

    it('writes, reads and removes nothing in a folder that is a link', async () => {
      await exported(['v1/victim']);
      rmSync(join(root, 'v1'), { recursive: true });
      symlinkSync(outside, join(root, 'v1'));
      const folder = await StaticFolder.open(root);
      assert.equal(await folder.read('v1/victim'), undefined);
      for (const path of ['v1/victim', 'v1/new/file'])
        await assert.rejects(folder.write(path, 'theirs'), { name: 'FolderError', message: /v1 is a link/ });
      await folder.finish([], () => false);
      folder.close();
      isUntouched();
    });

    it('reads no file through a link', async () => {
      await exported(['a']);
      rmSync(join(root, 'a'));
      symlinkSync(victim(), join(root, 'a'));
      const folder = await StaticFolder.open(root);
      assert.equal(await folder.read('a'), undefined);
      folder.close();
    });

    it('touches nothing outside on the word of a crafted record', async () => {
      const files = [victim(), `../${basename(outside)}/victim`, 'a/../../x', '.', '', '..', './../x', 'a\u0000b'];
      writeFileSync(join(root, '.pulse-export.json'), JSON.stringify({ files, leaving: files, sources: [] }));
      const folder = await StaticFolder.open(root);
      assert.deepEqual([folder.record.files, folder.record.leaving], [[], []]);
      await folder.finish([], () => false);
      folder.close();
      isUntouched();
    });

    it('writes nothing outside, whatever it is told', async () => {
      const folder = await StaticFolder.open(root);
      for (const path of ['../x', '/x', 'a/../../x', ''])
        await assert.rejects(folder.write(path, 'x'), { name: 'FolderError', message: /not below the folder/ });
      folder.close();
    });
  });

  it('makes a folder of what was its own file, as where a source is named index.html', async () => {
    await exported(['v1/sources/index.html']);
    await exported(['v1/sources/index.html/pulse']);
    assert.deepEqual(filesIn(root), ['v1/sources/index.html/pulse']);
  });

  it('says what is wrong with a folder that is a file, or lies in one, or cannot be written', async () => {
    writeFileSync(join(root, 'file'), 'mine');
    const tooLong = 'x'.repeat(300);
    for (const [path, why] of [
      ['file', /a file is in its place; name another one$/],
      ['file/folder', /a file is in its place; name another one$/],
      [tooLong, /it cannot be written \(ENAMETOOLONG\); name another one$/],
    ] as const)
      await assert.rejects(StaticFolder.open(join(root, path)), { name: 'FolderError', message: why });
  });

  for (const record of [
    '',
    '{',
    '{"files":["a"]}',
    '{"files":["../../outside","/etc/outside"],"leaving":["../x"],"sources":[]}',
  ])
    it(`removes nothing on the word of a broken record: ${record}`, async () => {
      writeFileSync(join(root, '.pulse-export.json'), record);
      writeFileSync(join(root, 'a'), 'mine');
      const folder = await StaticFolder.open(root);
      assert.deepEqual(folder.record.files, []);
      await folder.finish([], () => false);
      folder.close();
      assert.deepEqual(filesIn(root), ['a']);
    });
});
