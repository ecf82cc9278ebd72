import assert from 'node:assert/strict';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeFolder } from './sqlite.ts';

describe('makeFolder()', () => {
  const base = mkdtempSync(join(tmpdir(), 'make-folder-'));

  it('makes every missing level, for its owner alone', () => {
    const folder = join(base, 'a', 'b', 'c');
    makeFolder(folder);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it('leaves a folder that is there as it is', () => {
    makeFolder(base);
    assert.ok(statSync(base).isDirectory());
  });

  it('says what is in the way', () => {
    const file = join(base, 'file');
    writeFileSync(file, '');
    assert.throws(() => makeFolder(join(file, 'below')), { code: 'ENOTDIR' });
  });

  it('ends with an error where the file system lets nothing be made', () => {
    const nowhere = process.platform === 'linux' ? '/proc/nowhere/below' : join(base, 'file', 'below');
    assert.throws(() => makeFolder(nowhere), /ENOENT|EACCES|ENOTDIR|EPERM/);
  });
});
