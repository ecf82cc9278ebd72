import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const BENCH = join(import.meta.dirname, '..');

describe('A benchmark on a machine without its programs', () => {
  const needs: Readonly<Record<string, readonly string[]>> = {
    'hit-path': ['wrk', 'nginx', 'taskset'],
    fronts: ['wrk', 'nginx', 'varnishd', 'taskset'],
    instances: ['redis-server'],
  };
  for (const [name, programs] of Object.entries(needs))
    it(`names what ${name} needs and how to install it, in one line`, () => {
      const { status, stderr } = spawnSync(process.execPath, ['--conditions=source', join(BENCH, name, 'run.ts')], {
        env: { PATH: '/nonexistent' },
        encoding: 'utf8',
      });
      assert.equal(status, 1);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
      for (const program of programs) assert.ok(stderr.includes(program), `${program}: ${stderr}`);
      assert.match(stderr, /apt-get install .*brew install/);
    });
});
