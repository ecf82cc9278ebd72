import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { publishedPackages } from '../release/published-packages.ts';
import { ROOT } from '../run.ts';

const MANIFESTS = [
  'package.json',
  'pnpm-workspace.yaml',
  '.changeset/config.json',
  '{packages/*,demo,e2e,bench,tools,tools/node}/package.json',
];

describe('.changeset/config.json', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pulse-changesets-'));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=A test', '-c', 'user.email=test@example.com', ...args], { cwd: folder });
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const status = (...args: readonly string[]) =>
    spawnSync(join(ROOT, 'node_modules/.bin/changeset'), ['status', '--since=main', ...args], { cwd: folder }).status;

  before(() => {
    for (const file of globSync(MANIFESTS, { cwd: ROOT })) cpSync(join(ROOT, file), join(folder, file));
    git('init', '--quiet', '--initial-branch', 'main');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'A release');
    git('checkout', '--quiet', '-b', 'change');
  });
  after(() => rmSync(folder, { recursive: true }));

  const commit = (file: string, text: string) => {
    write(file, text);
    git('add', '--all');
    git('commit', '--quiet', '--message', 'A change');
  };

  it('gives all published packages the same version', () => {
    const { fixed } = JSON.parse(readFileSync(join(folder, '.changeset/config.json'), 'utf8')) as { fixed: [string[]] };
    for (const name of publishedPackages()) assert.ok(fixed[0].includes(`@pulse-card/${name}`), name);
  });

  it('doesn’t require a changeset for unpublished files', () => {
    for (const name of ['packages/testkit', 'e2e', 'bench', 'tools']) commit(`${name}/changed.ts`, '// Changed.');
    assert.equal(status(), 0);
  });

  it('requires a changeset for the Studio, because the BFF ships it', () => {
    commit('demo/src/changed.ts', '// Changed.');
    assert.equal(status(), 1);
  });

  it('releases the BFF when the Studio changes', () => {
    commit('.changeset/studio.md', `---\n'@pulse-card/demo': patch\n---\n\nThe Studio is clearer.\n`);
    assert.equal(status('--output', 'plan.json'), 0);
    const { releases } = JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')) as Plan;
    const types = releases.filter(({ name }) => name === '@pulse-card/bff').map(({ type }) => type);
    assert.deepEqual(types, ['patch']);
  });
});

interface Plan {
  readonly releases: readonly { readonly name: string; readonly type: string }[];
}
