import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { prepareStateDir } from './core.ts';

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'state-'));
  writeFileSync(join(folder, 'file'), '');
});
after(() => rmSync(folder, { recursive: true }));

describe('prepareStateDir()', () => {
  it('makes the folder with those above it, and leaves one that is there', () => {
    const deep = join(folder, 'a', 'b');
    prepareStateDir(deep);
    prepareStateDir(deep);
    assert.ok(existsSync(deep));
  });

  it('names the variable where a file is in the way', () => {
    for (const path of [join(folder, 'file', 'x'), join(folder, 'file')])
      assert.throws(() => prepareStateDir(path), /^ConfigError: PULSE_STATE_DIR: must be a folder/);
  });
});
