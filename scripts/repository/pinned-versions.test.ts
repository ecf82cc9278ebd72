import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from '../run.ts';
import { manifestOf, publishedPackages } from '../release/published-packages.ts';

const workspace = parse(read('pnpm-workspace.yaml')) as { catalog: Record<string, string>; nodeVersion: string };
const dockerfile = read('Dockerfile');

describe('A version that several files specify', () => {
  it('is the same for Node in the repository, pnpm, version managers, and the image', () => {
    const image = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(dockerfile)?.[1];
    const named = [workspace.nodeVersion, read('.node-version').trim(), image];
    assert.deepEqual([...new Set(named)], [workspace.catalog['node']]);
  });

  it('is the same for the oldest Node in each package and in SUPPORT.md', () => {
    const floors = publishedPackages().map((name) => manifestOf(name).engines.node);
    const [floor = ''] = new Set(floors);
    assert.deepEqual([...new Set(floors)], [floor]);
    assert.ok(read('.github/SUPPORT.md').includes(`starting with ${floor.replace('>=', '')}`));
  });
});

function read(...path: string[]): string {
  return readFileSync(join(ROOT, ...path), 'utf8');
}
