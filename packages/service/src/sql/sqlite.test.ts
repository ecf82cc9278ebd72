import assert from 'node:assert/strict';
import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeFolder } from './sqlite.ts';

describe('makeFolder()', () => {
  const base = mkdtempSync(join(tmpdir(), 'make-folder-'));

  it('creates every missing folder in the path, readable only by its owner', () => {
    const folder = join(base, 'a', 'b', 'c');
    makeFolder(folder);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it('leaves an existing folder unchanged', () => {
    makeFolder(base);
    assert.ok(statSync(base).isDirectory());
  });

  it('reports what prevents it from creating the folder', () => {
    const file = join(base, 'file');
    writeFileSync(file, '');
    assert.throws(() => makeFolder(join(file, 'below')), { code: 'ENOTDIR' });
  });

  it('fails if the file system doesn’t allow new files', () => {
    const nowhere = process.platform === 'linux' ? '/proc/nowhere/below' : join(base, 'file', 'below');
    assert.throws(() => makeFolder(nowhere), /ENOENT|EACCES|ENOTDIR|EPERM/);
  });
});
