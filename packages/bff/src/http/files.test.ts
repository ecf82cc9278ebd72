import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readWidgetFiles, widgetScriptPath } from './files.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'widget-'));
  mkdirSync(join(folder, 'lang'));
  writeFileSync(join(folder, 'pulse-card.js'), 'export {};');
  writeFileSync(join(folder, 'pulse-board.js'), 'export {};');
  writeFileSync(join(folder, 'lang', 'de-0.1.0.json'), '{}');
  writeFileSync(join(folder, 'lang', 'notes.txt'), 'none');
});
after(() => rmSync(folder, { recursive: true }));

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

  it('has nothing where the card is not built', () => {
    assert.equal(readWidgetFiles(join(folder, 'none.js')), undefined);
  });
});

describe('widgetScriptPath()', () => {
  it('asks the package of the widget', () => assert.match(widgetScriptPath(), /widget\/dist\/pulse-card\.js$/));
});
