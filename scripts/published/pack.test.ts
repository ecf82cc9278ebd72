import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { manifestOf, publishedPackages } from '../release/published-packages.ts';
import { ROOT } from '../run.ts';

const folder = mkdtempSync(join(tmpdir(), 'pulse-pack-'));
after(() => rmSync(folder, { recursive: true }));

describe('npm run pack', () => {
  it('writes the packages that an application needs, and prints the command that installs them', () => {
    const { status, stdout } = run('scripts/pack.ts', ['--skip-build', join(folder, 'packs')]);
    const [, files = ''] = /^npm install (.+)$/m.exec(stdout) ?? [];
    assert.equal(status, 0);
    assert.deepEqual(
      files.split(' ').map((file) => /pulse-card-([a-z]+)-[\d.]+\.tgz$/.exec(file)?.[1]),
      ['contract', 'token', 'doctor', 'widget', 'bff'],
    );
    for (const file of files.split(' ')) assert.ok(existsSync(file), file);
  });

  it('rejects a command line without a folder', () => {
    const { status, stderr } = run('scripts/pack.ts', []);
    assert.deepEqual([status, stderr], [2, 'Usage: npm run pack -- FOLDER\n']);
  });
});

describe('pnpm pack', () => {
  for (const name of publishedPackages())
    it(`rejects @pulse-card/${name} if it isn't built`, () => {
      const { scripts } = manifestOf(name);
      assert.equal(scripts?.['prepack'], 'node ../../scripts/require-build.js');
    });

  it('explains how to build a package that isn’t built or is only compiled', () => {
    mkdirSync(join(folder, 'dist'));
    const { status, stderr } = run('scripts/require-build.js', [], folder);
    assert.equal(status, 1);
    assert.match(stderr, /Run "npm run build"/);
  });

  it('accepts a built package', () => {
    mkdirSync(join(folder, 'built/dist'), { recursive: true });
    writeFileSync(join(folder, 'built/dist/THIRD-PARTY-NOTICES.txt'), '');
    assert.equal(run('scripts/require-build.js', [], join(folder, 'built')).status, 0);
  });
});

function run(file: string, args: readonly string[], cwd = ROOT) {
  return spawnSync(process.execPath, ['--conditions=source', join(ROOT, file), ...args], { cwd, encoding: 'utf8' });
}
