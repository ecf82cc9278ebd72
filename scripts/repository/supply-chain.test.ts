import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { manifestOf, publishedPackages } from '../release/published-packages.ts';
import { parse } from 'yaml';
import { ROOT } from '../run.ts';
import { chooseSuites } from '../test/suites.ts';

const WORKFLOWS = join(ROOT, '.github/workflows');

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

describe('The supply chain', () => {
  it('T-64: pins each download by its SHA-512 and names no registry', () => {
    const lockfile = textOf('pnpm-lock.yaml');
    const resolutions = lockfile.split('\n').filter((line) => line.trim().startsWith('resolution:'));
    assert.ok(resolutions.length > 500);
    for (const line of resolutions) assert.match(line, /^\s+resolution: \{integrity: sha512-[A-Za-z0-9+/]{86}==\}$/);
    assert.doesNotMatch(lockfile, /https?:\/\/|git\+|tarball:/);
  });

  for (const file of ['Dockerfile', 'compose.yaml', 'deploy/kubernetes/redis.yaml'])
    it(`T-64: pins other projects’ images by digest: ${file}`, () => {
      const found = textOf(file).matchAll(/^(?:ARG \w+_IMAGE=|\s*image: )(?!pulse-card-)(\S+)$/gm);
      const images = Array.from(found, ([, image = '']) => image);
      assert.ok(images.length > 0);
      for (const image of images) assert.match(image, /:[^@]+@sha256:[0-9a-f]{64}$/);
    });

  for (const name of publishedPackages())
    it(`T-05, T-64: lists the files to publish and doesn’t run scripts when it is installed: ${name}`, () => {
      const { files, scripts = {} } = manifestOf(name);
      assert.ok(files !== undefined && files.every((file) => !/^(\.|src|\*)/.test(file)), String(files));
      for (const hook of ['preinstall', 'install', 'postinstall', 'prepare']) assert.ok(!(hook in scripts));
    });

  for (const file of readdirSync(WORKFLOWS))
    it(`T-64: pins each action by its digest and doesn’t leave a token available to programs: ${file}`, () => {
      const text = readFileSync(join(WORKFLOWS, file), 'utf8');
      for (const [, action = ''] of text.matchAll(/uses: (.+)/g))
        assert.match(action, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
      const checkouts = text.split('uses: actions/checkout@').slice(1);
      for (const checkout of checkouts) assert.match(checkout, /^.*\n\s+with:\n\s+persist-credentials: false\n/);
      assert.match(text, /^permissions:\n {2}contents: read\n/m);
    });
});

describe('.github/workflows/ci.yml', () => {
  it('runs each suite exactly once', () => {
    const { jobs } = parse(textOf('.github/workflows/ci.yml')) as Ci;
    const named = jobs.test.strategy.matrix.suites.flatMap((suites) => suites.split(' '));
    const all = chooseSuites({ filters: [], isLong: false }).map(({ name }) => name);
    assert.deepEqual(named.toSorted(), all.toSorted());
  });
});

interface Ci {
  readonly jobs: { readonly test: { readonly strategy: { readonly matrix: { readonly suites: readonly string[] } } } };
}
