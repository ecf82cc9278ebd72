import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { snippetFor } from '../packages/widget/src/snippet/index.ts';
import { ROOT } from '../scripts/run.ts';
import { SUITE_NAMES } from '../scripts/test/suites.ts';

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const PAGES = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(ROOT, file)));

describe('Every Markdown page', () => {
  it('links only to files that are there', () => {
    const links = PAGES.flatMap((page) => linksIn(textOf(page)).map((link) => ({ page, link })));
    assert.ok(links.length > 50);
    assert.deepEqual(
      links.filter(({ page, link }) => !existsSync(join(ROOT, dirname(page), link))),
      [],
    );
  });
});

describe('README.md and CONTRIBUTING.md', () => {
  it('name only commands that package.json has', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: object };
    const commands = ['README.md', 'CONTRIBUTING.md'].flatMap((page) =>
      Array.from(textOf(page).matchAll(/`npm (?:run )?([\w:]+)/g), ([, name = '']) => name),
    );
    assert.ok(commands.length > 10);
    assert.deepEqual(
      commands.filter((name) => name !== 'install' && !(name in scripts)),
      [],
    );
  });
});

describe('README.md', () => {
  it('shows the snippet that snippetFor() makes', () => {
    const displayed = /<!-- snippet -->\n```html\n([\s\S]*?)```/.exec(textOf('README.md'))?.[1]?.trim();
    const made = snippetFor({ sourceId: 'src_01JZ8R2M', baseUrl: 'https://pulse.example.com', name: 'Q2 revenue' });
    assert.equal(displayed, made.trim());
  });
});

describe('CONTRIBUTING.md', () => {
  it('names every suite of npm test', () => {
    for (const name of SUITE_NAMES) assert.ok(textOf('CONTRIBUTING.md').includes(`\`${name}\``), name);
  });
});

/** Relative links, pictures included, without their fragments; code is no link. */
function linksIn(markdown: string): string[] {
  const prose = markdown.replaceAll(/```[^]*?```|`[^`\n]*`/g, '');
  const found = prose.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)|(?:srcset|src)="(?!https?:)([^"]+)"/g);
  return Array.from(found, ([, link, src]) => link ?? src ?? '');
}
