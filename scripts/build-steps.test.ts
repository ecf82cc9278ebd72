import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { emptyStep } from './build-steps.ts';

describe('emptyStep()', () => {
  const root = mkdtempSync(join(tmpdir(), 'pulse-build-'));
  after(() => rmSync(root, { recursive: true }));

  it('removes the files that an earlier build left in a package, but no source files', async () => {
    for (const folder of ['packages/bff/dist/http', 'packages/bff/src', 'packages/widget/dist/npm'])
      mkdirSync(join(root, folder), { recursive: true });
    const built = [
      'packages/bff/dist/http/renamed.js',
      'packages/bff/dist/.tsbuildinfo',
      'packages/widget/dist/npm/renamed.js',
    ];
    const source = 'packages/bff/src/main.ts';
    for (const file of [...built, source]) writeFileSync(join(root, file), '');
    await emptyStep(root).work(() => {});
    assert.deepEqual(
      built.filter((file) => existsSync(join(root, file))),
      [],
    );
    assert.ok(existsSync(join(root, source)));
  });
});
