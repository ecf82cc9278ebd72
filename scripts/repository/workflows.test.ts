import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { ROOT } from '../run.ts';
import { chooseSuites } from '../test/suites.ts';

const FOLDER = join(ROOT, '.github/workflows');

for (const file of readdirSync(FOLDER))
  describe(`.github/workflows/${file}`, () => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const { jobs } = parse(text) as { readonly jobs: Readonly<Record<string, Job>> };

    it('runs only files that exist and scripts that package.json defines', () => {
      const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
      const named = Array.from(text.matchAll(/npm run (?:-s )?([\w:-]+)/g), ([, name = '']) => name);
      const listed = Array.from(text.matchAll(/script: \[(.+)\]/g), ([, list = '']) => list.split(',')).flat();
      const all = [...named, ...listed.map((name) => name.replaceAll("'", '').trim())];
      assert.deepEqual(
        all.filter((name) => !(name in scripts)),
        [],
      );
      const files = Array.from(text.matchAll(/\b(scripts\/[\w.-]+\.[jt]s)\b/g), ([, name = '']) => name);
      for (const name of files) assert.ok(existsSync(join(ROOT, name)), name);
    });

    it('pins each action by its digest', () => {
      const used = Array.from(text.matchAll(/uses: (\S+)(.*)/g), ([, action = '', note = '']) => action + note);
      for (const action of used) assert.match(action, /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });

    it('doesn’t leave the token of its checkout to the programs that it runs', () => {
      const steps = Object.values(jobs).flatMap((job) => job.steps);
      for (const step of steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@')))
        assert.equal(step.with?.['persist-credentials'], false);
    });

    it('doesn’t build anything in a job that can publish or write', () => {
      for (const [name, { permissions = {}, steps }] of Object.entries(jobs)) {
        // The images are built inside a container that gets no token. `versions` only edits files.
        if (name === 'images' || name === 'versions' || !Object.values(permissions).includes('write')) continue;
        for (const { run = '' } of steps) assert.doesNotMatch(run, /\bnpm run\b|\bnpm (?:ci|install)\b/, name);
      }
    });

    it('grants only read access, except to jobs that request more', () => {
      const { permissions } = parse(text) as { permissions?: unknown };
      assert.deepEqual(permissions, { contents: 'read' });
    });
  });

describe('.github/workflows/ci.yml', () => {
  it('runs each suite once', () => {
    const { jobs } = parse(readFileSync(join(FOLDER, 'ci.yml'), 'utf8')) as Ci;
    const named = jobs.test.strategy.matrix.suites.flatMap((suites) => suites.split(' '));
    const all = chooseSuites({ filters: [], isLong: false }).map(({ name }) => name);
    assert.deepEqual(named.toSorted(), all.toSorted());
  });
});

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }[];
}

interface Ci {
  readonly jobs: { readonly test: { readonly strategy: { readonly matrix: { readonly suites: readonly string[] } } } };
}
