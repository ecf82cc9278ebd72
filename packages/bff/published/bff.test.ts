import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DESCRIPTION_FILES } from '../src/features/files/files.ts';
import { ROOT } from '../../testkit/src/root.ts';
import { consumerOf, examplesIn, typeFaults } from '../../testkit/src/installed-package.ts';

const consumer = consumerOf('packages/bff');
const { folder } = consumer;

after(() => consumer.close());

describe('The published @pulse-card/bff', () => {
  for (const name of Object.values(DESCRIPTION_FILES))
    it(`contains its API description: ${name}`, () =>
      assert.match(readFileSync(join(consumer.installed, 'dist', name), 'utf8'), /^openapi: 3\.1/));
});

describe('The published @pulse-card/bff/testing', () => {
  const [example = ''] = examplesIn('docs/test-your-portal.md', 'packages/bff/published/bff.test.ts');
  writeFileSync(join(folder, 'portal.test.ts'), example);

  it('has types that match the example in docs/test-your-portal.md', () => {
    const node = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')], lib: ['es2024', 'esnext', 'dom'] };
    assert.equal(typeFaults(folder, ['portal.test.ts'], node), '');
  });

  it('runs the example in docs/test-your-portal.md', () => {
    const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const { stdout, status } = spawnSync(process.execPath, ['--test', 'portal.test.ts'], {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: 60_000,
    });
    assert.match(stdout, /pass 2/);
    assert.equal(status, 0, stdout);
  });
});
