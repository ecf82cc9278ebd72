import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../run.ts';
import { publishedPackages } from './published-packages.ts';
import { addressFields, readProject } from './project.ts';

const project = readProject();

/** Matches a URL that a project with this name could have. */
const ADDRESS = /github\.com\/pulse-card|pulse-card\.github\.io|ghcr\.io\/pulse-card|npmjs\.com\/package\/@pulse-card/;

/** Matches a command that works only after the packages are published. */
const PUBLISHED = new RegExp(String.raw`\b(?:npm install|npx|npm install .*) ${project.scope}/`);

/** Matches the READMEs that npm shows. npm shows them only after the package is published. */
const NPM_PAGE = /^packages\/[^/]+\/README\.md$/;

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

function filesWith(pattern: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', pattern], { cwd: ROOT, encoding: 'utf8' });
  return listed.split('\0').filter((file) => file !== '' && !file.startsWith('bench/results/'));
}

describe('project.json', () => {
  it('must contain the project’s URL before any other file does', () => {
    if (project.repository !== null) return;
    const holders = filesWith('*').filter((file) => !file.endsWith('.png') && ADDRESS.test(textOf(file)));
    assert.deepEqual(
      holders.filter((file) => file !== 'scripts/release/project.test.ts'),
      [],
    );
  });

  for (const folder of ['', ...publishedPackages().map((name) => `packages/${name}`)])
    it(`has the same URL as ${join(folder, 'package.json')}`, () => {
      const { homepage, bugs, repository } = JSON.parse(textOf(join(folder, 'package.json')));
      assert.deepEqual(
        JSON.parse(JSON.stringify({ homepage, bugs, repository })),
        addressFields(project, folder),
        'run: npm run project',
      );
    });

  it('adds "after the first release" to pages that mention a package until there is a release', () => {
    const pages = filesWith('*.md').filter((file) => !NPM_PAGE.test(file));
    const early = pages.flatMap((file) =>
      sectionsOf(textOf(file))
        .filter((section) => PUBLISHED.test(section) && !/after the first release/i.test(section))
        .map((section) => `${file}: ${section.split('\n')[0]}`),
    );
    if (!project.isReleased) assert.deepEqual(early, []);
  });

  it('removes the words "after the first release" from pages once there is a release', () => {
    const late = filesWith('*.md').filter((file) => /after the first release/i.test(textOf(file)));
    if (project.isReleased) assert.deepEqual(late, []);
  });
});

/** The sections of a Markdown page. Each begins with a heading. */
function sectionsOf(text: string): string[] {
  return text.split(/^(?=#{1,6} )/m);
}
