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
function exported(files: readonly string[], mayBeNamed = (_path: string) => false): void {
  const folder = new StaticFolder(root);
  for (const file of files) folder.write(file, file);
  folder.finish([], mayBeNamed);
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
  it('removes what an earlier export wrote and this one did not, with folders that are empty then', () => {
    exported(['a/b/c', 'd']);
    exported(['d']);
    assert.deepEqual(filesIn(root), ['d']);
    assert.equal(existsSync(join(root, 'a')), false);
  });

  it('neither overwrites nor removes what others put there', () => {
    writeFileSync(join(root, 'index.html'), 'mine');
    exported(['d']);
    exported([]);
    const folder = new StaticFolder(root);
    assert.throws(() => folder.write('index.html', 'theirs'), { name: 'FolderError', message: /index\.html/ });
    folder.close();
    assert.equal(readFileSync(join(root, 'index.html'), 'utf8'), 'mine');
  });

  it('has the old files whole where an export ends before its end', () => {
    exported(['a', 'b']);
    const folder = new StaticFolder(root);
    folder.write('a', 'new');
    folder.close();
    assert.deepEqual(filesIn(root), ['a', 'b']);
    exported(['a', 'b']);
    assert.deepEqual(filesIn(root), ['a', 'b']);
  });

  it('replaces what an export wrote that ended before its end', () => {
    const first = new StaticFolder(root);
    first.write('a', 'first');
    first.close();
    const second = new StaticFolder(root);
    second.write('a', 'second');
    assert.equal(readFileSync(join(root, 'a'), 'utf8'), 'second');
    second.close();
  });

  it('is refused while another export writes, and says what to do about the lock of one that was killed', () => {
    const folder = new StaticFolder(root);
    assert.throws(() => new StaticFolder(root), {
      name: 'FolderError',
      message: /another export writes there; if it was killed, remove \S+\/\.pulse-export\.lock$/,
    });
    folder.close();
    new StaticFolder(root).close();
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

    it('reads no link in the place of its own file, and replaces it; what it leads to stays', () => {
      exported(['a']);
      rmSync(join(root, 'a'));
      symlinkSync(victim(), join(root, 'a'));
      const folder = new StaticFolder(root);
      assert.equal(folder.read('a'), undefined);
      folder.close();
      exported(['a']);
      isUntouched();
      assert.equal(readFileSync(join(root, 'a'), 'utf8'), 'a');
    });

    it('writes, reads and removes nothing in a folder that is a link', () => {
      exported(['v1/victim']);
      rmSync(join(root, 'v1'), { recursive: true });
      symlinkSync(outside, join(root, 'v1'));
      const folder = new StaticFolder(root);
      assert.equal(folder.read('v1/victim'), undefined);
      for (const path of ['v1/victim', 'v1/new/file'])
        assert.throws(() => folder.write(path, 'theirs'), { name: 'FolderError', message: /v1 is a link/ });
      folder.finish([], () => false);
      folder.close();
      isUntouched();
    });

    it('touches nothing outside on the word of a crafted record', () => {
      const files = [victim(), `../${basename(outside)}/victim`, 'a/../../x', '.', '', '..', './../x', 'a\u0000b'];
      writeFileSync(join(root, '.pulse-export.json'), JSON.stringify({ files, leaving: files, sources: [] }));
      const folder = new StaticFolder(root);
      assert.deepEqual([folder.record.files, folder.record.leaving], [[], []]);
      folder.finish([], () => false);
      folder.close();
      isUntouched();
    });

    it('writes nothing outside, whatever it is told', () => {
      const folder = new StaticFolder(root);
      for (const path of ['../x', '/x', 'a/../../x', ''])
        assert.throws(() => folder.write(path, 'x'), { name: 'FolderError', message: /not below the folder/ });
      folder.close();
    });
  });

  it('says what is wrong with a folder that is a file, or lies in one, or cannot be written', () => {
    writeFileSync(join(root, 'file'), 'mine');
    const tooLong = 'x'.repeat(300);
    for (const [path, why] of [
      ['file', /a file is in its place; name another one$/],
      ['file/folder', /a file is in its place; name another one$/],
      [tooLong, /it cannot be written \(ENAMETOOLONG\); name another one$/],
    ] as const)
      assert.throws(() => new StaticFolder(join(root, path)), { name: 'FolderError', message: why });
  });

  it('makes the folders above it', () => {
    const folder = new StaticFolder(join(root, 'a/b'));
    folder.close();
    assert.ok(existsSync(join(root, 'a/b')));
  });

  it('is refused without a name: it is not the working directory', () => {
    assert.throws(() => new StaticFolder(''), { name: 'FolderError' });
  });

  it('is refused under /proc, where a recursive mkdir never returns', () => {
    assert.throws(() => new StaticFolder('/proc/nope/export'), {
      name: 'FolderError',
      message: /cannot be written \(E/,
    });
  });
});
