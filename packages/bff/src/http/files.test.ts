import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readWidgetFiles } from './files.ts';

let packageFolder: string;
let folder: string;
before(() => {
  packageFolder = mkdtempSync(join(tmpdir(), 'widget-'));
  folder = join(packageFolder, 'dist');
  mkdirSync(join(folder, 'lang'), { recursive: true });
  writeFileSync(join(packageFolder, 'package.json'), '{ "name": "@pulse-card/widget", "version": "1.2.3" }');
  writeFileSync(join(folder, 'pulse-card.js'), 'export {};');
  writeFileSync(join(folder, 'pulse-board.js'), 'export {};');
  writeFileSync(join(folder, 'lang', 'de-0.1.0.json'), '{}');
  writeFileSync(join(folder, 'lang', 'notes.txt'), 'none');
});
after(() => rmSync(packageFolder, { recursive: true }));

describe('readWidgetFiles()', () => {
  it('reads the script, the hash of its bytes, and the files beside it by path', () => {
    const files = readWidgetFiles(join(folder, 'pulse-card.js'));
    assert.equal(files?.script.in('identity').bytes.toString(), 'export {};');
    assert.match(files?.hash ?? '', /^[0-9a-f]{16}$/);
    assert.deepEqual(
      [...(files?.byPath.keys() ?? [])],
      [
        '/pulse-card-lang/de-0.1.0.json',
        `/pulse-board-${files?.hash}.js`,
        '/pulse-board.js',
        `/pulse-card-${files?.hash}.js`,
        '/pulse-card.js',
      ],
    );
  });

  it('names the address of the script that stays: that of its package', () =>
    assert.equal(
      readWidgetFiles(join(folder, 'pulse-card.js'))?.publishedUrl,
      'https://cdn.jsdelivr.net/npm/@pulse-card/widget@1.2.3/dist/pulse-card.js',
    ));

  it('names none for a script that was built from source: no package has its bytes', () => {
    mkdirSync(join(packageFolder, 'src'));
    assert.equal(readWidgetFiles(join(folder, 'pulse-card.js'))?.publishedUrl, null);
  });

  it('has nothing where the card is not built', () => {
    assert.equal(readWidgetFiles(join(folder, 'none.js')), undefined);
  });
});
