import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type TemporaryFolder, temporaryFolder } from '../../testing/temporary-folder.ts';
import { StaticFolder } from './static-folder.ts';

let parent: TemporaryFolder;
let root: string;
beforeEach(() => {
  parent = temporaryFolder();
  root = join(parent.path, 'made/folder');
});
afterEach(() => parent.remove());

/** Runs an export that writes these files, each containing its own name. */
function exported(...files: readonly string[]): void {
  const folder = new StaticFolder(root);
  for (const file of files) folder.write(file, file);
  folder.finish(() => false);
  folder.close();
}

/** The files in the folder, except the record. */
const filesIn = (): string[] => fs.readdirSync(root).filter((name) => !name.startsWith('.pulse-export'));
const read = (file: string): string => fs.readFileSync(join(root, file), 'utf8');

describe('StaticFolder', () => {
  it('neither overwrites nor removes files that it didn’t write', () => {
    exported('d');
    fs.writeFileSync(join(root, 'index.html'), 'mine');
    exported();
    const folder = new StaticFolder(root);
    assert.throws(() => folder.write('index.html', 'theirs'), /index\.html/);
    assert.equal(folder.read('index.html'), undefined);
    assert.equal(read('index.html'), 'mine');
    const message = /^Can’t write (?:d\/e \(EEXIST\)|\.git): .* specify a different folder$/;
    fs.mkdirSync(join(root, '.git'));
    fs.writeFileSync(join(root, 'd'), 'mine');
    for (const path of ['d/e', '.git']) assert.throws(() => folder.write(path, 'theirs'), { message });
  });

  it('keeps all old files if an export is interrupted', () => {
    exported('a', 'b');
    const folder = new StaticFolder(root);
    folder.write('a', 'new');
    folder.close();
    assert.deepEqual(filesIn(), ['a', 'b']);
    exported('a', 'b');
    assert.deepEqual(filesIn(), ['a', 'b']);
  });

  it('replaces the files from an interrupted export', () => {
    const first = new StaticFolder(root);
    first.write('a', 'first');
    first.close();
    const second = new StaticFolder(root);
    second.write('a', 'second');
    assert.equal(read('a'), 'second');
    // The file server may run as a different user.
    assert.equal(fs.statSync(join(root, 'a')).mode & 0o777, 0o644);
    second.close();
  });

  it('doesn’t run during another export and reports the lock file', () => {
    const folder = new StaticFolder(root);
    const message = /another export is writing to it; if that export was killed, remove \S+\/\.pulse-export\.lock$/;
    assert.throws(() => new StaticFolder(root), message);
    folder.close();
    exported();
  });

  describe('with an attacker who can write to the folder (T-71)', () => {
    let outside: string;
    let victim: string;
    beforeEach(() => {
      outside = join(parent.path, 'outside');
      victim = join(outside, 'victim');
      fs.mkdirSync(outside);
      fs.writeFileSync(victim, 'mine');
    });
    const isUntouched = (): void => {
      assert.deepEqual(fs.readdirSync(outside), ['victim']);
      assert.equal(fs.readFileSync(victim, 'utf8'), 'mine');
    };

    it('replaces a symlink that has an exported file’s name without changing the symlink’s target', () => {
      exported('a');
      fs.rmSync(join(root, 'a'));
      fs.symlinkSync(victim, join(root, 'a'));
      const folder = new StaticFolder(root);
      assert.equal(folder.read('a'), undefined);
      folder.close();
      exported('a');
      isUntouched();
      assert.equal(read('a'), 'a');
    });

    it('doesn’t write, read, or remove anything in a symlinked folder', () => {
      exported('v1/victim');
      fs.rmSync(join(root, 'v1'), { recursive: true });
      fs.symlinkSync(outside, join(root, 'v1'));
      const folder = new StaticFolder(root);
      assert.equal(folder.read('v1/victim'), undefined);
      for (const path of ['v1/victim', 'v1/new/file'])
        assert.throws(() => folder.write(path, 'theirs'), /v1 is a link/);
      folder.finish(() => false);
      isUntouched();
    });

    it('doesn’t touch anything outside the folder, even if its record is forged', () => {
      exported();
      const files = [victim, '../../outside/victim', 'a/../../x', '.', '', '..', './../x', 'a\u0000b'];
      fs.writeFileSync(join(root, '.pulse-export.json'), JSON.stringify({ files, leaving: files }));
      const folder = new StaticFolder(root);
      assert.deepEqual([folder.record.files, folder.record.leaving], [[], []]);
      folder.finish(() => false);
      isUntouched();
    });

    for (const path of ['../x', '/x', 'a/../../x', ''])
      it(`rejects a path outside the folder: ${JSON.stringify(path)}`, () => {
        const folder = new StaticFolder(root);
        assert.throws(() => folder.write(path, 'x'), /isn’t inside the folder/);
      });
  });

  for (const [what, path, message] of [
    ['a file', 'file', /there is a file with this name; specify a different folder$/],
    ['a folder in a file', 'file/folder', /there is a file with this name; specify a different folder$/],
    ['a name that is too long', 'x'.repeat(300), /it can’t be written \(ENAMETOOLONG\); specify a different folder$/],
    ['a folder under /proc, in which a recursive mkdir never returns', '/proc/nope/export', /can’t be written \(E/],
    ['an empty name, which doesn’t mean the working directory', '', /can’t be written \(ENOENT\)/],
  ] as const)
    it(`rejects ${what} and explains what’s wrong`, () => {
      parent.file('file', 'mine');
      const folder = path === '' || path.startsWith('/') ? path : join(parent.path, path);
      assert.throws(() => new StaticFolder(folder), message);
    });
});
