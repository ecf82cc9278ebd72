import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  describe('while another export writes', () => {
    const lock = (): string => join(root, '.pulse-export.lock');
    const age = (seconds: number): void => utimesSync(lock(), new Date(), new Date(Date.now() - seconds * 1_000));

    it('is refused, also where both are process 1 of their containers', async () => {
      writeFileSync(lock(), String(process.pid));
      await assert.rejects(StaticFolder.open(root), { name: 'FolderError', message: /another export writes here/ });
    });

    it('is refused for as long as that export renews its lock', async (test) => {
      test.mock.timers.enable({ apis: ['setInterval'] });
      const folder = await StaticFolder.open(root);
      age(3_600);
      test.mock.timers.tick(5_000);
      await assert.rejects(StaticFolder.open(root), { name: 'FolderError' });
      folder.close();
    });

    it('takes over a lock that nobody renews, whatever process has the number in it', async () => {
      writeFileSync(lock(), String(process.ppid));
      age(60);
      await exported(['a']);
      assert.deepEqual(filesIn(root), ['a']);
    });

    it('takes over a lock from the future, as after the clock was set back', async () => {
      writeFileSync(lock(), 'somebody');
      age(-3_600);
      await exported(['a']);
      assert.deepEqual(filesIn(root), ['a']);
    });

    it('is refused where a third export was the first to take over the lock', async (test) => {
      const third = await StaticFolder.open(root);
      // The lock is stale when it is found, and no longer when it is taken away.
      test.mock.method(Date, 'now').mock.mockImplementationOnce(() => statSync(lock()).mtimeMs + 60_000);
      await assert.rejects(StaticFolder.open(root), { name: 'FolderError' });
      await third.write('a', 'new');
      third.close();
      assert.deepEqual(filesIn(root), ['a']);
    });

    it('stops the export whose lock was taken over', async () => {
      const slept = await StaticFolder.open(root);
      age(60);
      const other = await StaticFolder.open(root);
      await assert.rejects(slept.write('a', 'old'), { name: 'FolderError', message: /has taken over/ });
      slept.close();
      assert.ok(existsSync(lock()));
      other.close();
    });
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
