import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from './run.ts';

describe('An npm command', () => {
  for (const [file, option, nearest] of [
    ['build.ts', '--helpp', '--help'],
    ['check.ts', '--skip-buil', '--skip-build'],
    ['pack.ts', '--al', '--all'],
    ['test.ts', '--instal', '--install'],
  ] as const)
    it(`ends with 2 at an unknown option, and names the nearest one: ${file}`, () => {
      const command = ['--conditions=source', join(ROOT, 'scripts', file), option];
      const { status, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
      assert.deepEqual([status, stderr], [2, `Unknown option "${option}"; did you mean "${nearest}"?\n`]);
    });
});
