import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../run.ts';

/** The files that run before the pinned Node is installed. */
const FIRST_FILES = ['bootstrap.js', 'install.js', 'process-group.js'];

/** Matches features that Node 20.0 lacks, and that someone might use in these files. */
const NEWER = /import\.meta\.(dirname|filename|main)|Promise\.(withResolvers|try)|\b(globSync|styleText)\b/;

describe('The oldest Node', () => {
  for (const file of FIRST_FILES) {
    it(`has all features that scripts/${file} uses`, () => {
      const code = readFileSync(join(ROOT, 'scripts', file), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '');
      assert.doesNotMatch(code, NEWER);
    });
  }

  it('is the Node that CI starts with', () => {
    const workflow = readFileSync(join(ROOT, '.github/workflows/ci.yml'), 'utf8');
    assert.match(workflow, /node-version: 20\.0\.0\b/);
  });
});
