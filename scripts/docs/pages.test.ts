import assert from 'node:assert/strict';
import { execFileSync, execSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { githubSlug } from '../../docs/.vitepress/markdown.ts';
import { SECTIONS } from '../../docs/.vitepress/pages.ts';
import { snippetFor } from '../../packages/widget/src/snippet/index.ts';
import { ROOT } from '../run.ts';
import { SUITE_NAMES } from '../test/suites.ts';

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const PAGES = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(ROOT, file)));

/** The site's pages in docs/, except for the home page. */
const SITE_PAGES = PAGES.filter((page) => /^docs\/(?!README|index|decisions\/)/.test(page)).map((page) =>
  page.slice(5),
);

describe('Every Markdown page', () => {
  const links = PAGES.flatMap((page) => linksIn(textOf(page)).map((link) => ({ page, ...link })));

  it('links only to files that exist', () => {
    assert.ok(links.length > 50);
    assert.deepEqual(
      links.filter(({ page, file }) => file !== '' && !existsSync(join(ROOT, dirname(page), file))),
      [],
    );
  });

  it('links only to headings that exist', () => {
    const withFragment = links.filter(({ fragment }) => fragment !== '');
    assert.ok(withFragment.length > 20);
    assert.deepEqual(
      withFragment.filter(({ page, file, fragment }) => {
        const target = file === '' ? page : join(dirname(page), file);
        return !target.endsWith('.md') || !slugsOf(textOf(target)).has(fragment);
      }),
      [],
    );
  });
});

describe('README.md and CONTRIBUTING.md', () => {
  it('mention only commands that are in package.json', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: object };
    const commands = ['README.md', '.github/CONTRIBUTING.md'].flatMap((page) =>
      Array.from(textOf(page).matchAll(/`npm (?:run (?:-s )?)?([\w:-]+)/g), ([, name = '']) => name),
    );
    assert.ok(commands.length > 10);
    assert.deepEqual(
      commands.filter((name) => name !== 'install' && !(name in scripts)),
      [],
    );
  });
});

describe('A command of a package', () => {
  it('is in docs/reference/commands.md in the form that runs in a clone', () =>
    assert.match(textOf('docs/reference/commands.md'), /In a clone, run the commands as `npm run -s pulse-bff -- /));

  for (const name of ['bff', 'service']) {
    it(`runs in a clone: pulse-${name}`, () => {
      const command = `npm run -s pulse-${name} --`;
      const { version } = JSON.parse(textOf(`packages/${name}/package.json`)) as { version: string };
      assert.equal(execSync(`${command} --version`, { cwd: ROOT, encoding: 'utf8' }), `${version}\n`);
    });
  }
});

describe('docs/embed.md', () => {
  it('shows the snippet that snippetFor() returns', () => {
    const displayed = /<!-- snippet -->\n```html\n([\s\S]*?)```/.exec(textOf('docs/embed.md'))?.[1]?.trim();
    const made = snippetFor({
      sourceId: 'src_01JZ8R2M',
      baseUrl: 'https://pulse.example.com',
      name: 'Q2 revenue',
      chartRatio: 16 / 9,
    });
    assert.equal(displayed, made.trim());
  });
});

describe('An example', () => {
  const snippet = snippetFor({
    sourceId: 'src_us_employment',
    baseUrl: 'http://localhost:4020',
    name: 'US employment',
    chartRatio: 16 / 9,
  });

  it('of a WordPress block is the snippet that snippetFor() returns', () => {
    assert.equal(textOf('examples/wordpress/block.html'), `<!-- wp:html -->\n${snippet.trim()}\n<!-- /wp:html -->\n`);
  });

  for (const name of ['plain', 'strict-csp'])
    it(`matches the snippet’s element in ${name}, ignoring whitespace`, () => {
      const elementIn = (html: string) =>
        /<pulse-card[^]*<\/pulse-card>/.exec(html)?.[0].replaceAll(/\s*([<>])\s*|\s+(?=\/>)/g, '$1');
      const words = (html: string) => elementIn(html)?.replaceAll(/\s+/g, ' ').replaceAll('/>', '>');
      assert.equal(words(textOf(`examples/${name}/index.html`)), words(snippet));
    });
});

describe('CONTRIBUTING.md', () => {
  it('lists every npm test suite', () => {
    for (const name of SUITE_NAMES) assert.ok(textOf('.github/CONTRIBUTING.md').includes(`\`${name}\``), name);
  });
});

describe('The documentation', () => {
  it('begins no paragraph with a status, which Markdown would read as the number of a list', () => {
    for (const page of PAGES) assert.doesNotMatch(textOf(page), /^\d{3}\. /m, page);
  });

  it('shows braces in tables and headings as text', () =>
    assert.match(textOf('docs/.vitepress/config.ts'), /attrs: \{ disable: true \}/));

  it('has every page in the sidebar', () => {
    const listed = SECTIONS.flatMap(({ items }) => items.map(({ file }) => file));
    assert.deepEqual(listed.toSorted(), SITE_PAGES.toSorted());
  });

  it('has at most 48 pages, including the home page', () => assert.ok(SITE_PAGES.length + 1 <= 48));

  it('shows the titles of the pages in the sidebar', () => {
    for (const { text, file } of SECTIONS.flatMap(({ items }) => items))
      assert.match(textOf(`docs/${file}`), new RegExp(`^# ${text}$`, 'm'), file);
  });
});

describe('docs/decisions/', () => {
  const files = PAGES.filter((page) => page.startsWith('docs/decisions/0'));

  it('doesn’t use any number twice', () => {
    const numbers = files.map((file) => file.slice(15, 19));
    assert.deepEqual(numbers, [...new Set(numbers)]);
  });

  for (const file of files) {
    it(`lists ${file.slice(15)}, and the file has a context, a decision, and consequences`, () => {
      const text = textOf(file);
      assert.ok(textOf('docs/decisions/README.md').includes(`(${file.slice(15)})`));
      const parts = text.match(/^\*\*\w+\.\*\*/gm)?.filter((part) => part !== '**Considered.**');
      assert.deepEqual(parts, ['**Context.**', '**Decision.**', '**Consequences.**']);
    });
  }
});

interface Link {
  /** The path relative to the page. It is empty if the link leads to the same page. */
  readonly file: string;
  readonly fragment: string;
}

/** Returns the relative links and pictures of a page. Ignores code. */
function linksIn(markdown: string): Link[] {
  const prose = markdown.replaceAll(/```[^]*?```|`[^`\n]*`/g, '');
  const found = prose.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)[^)]*\)|(?:srcset|src)="(?!https?:)([^"]+)"/g);
  return Array.from(found, ([, link, src]) => {
    const [file = '', fragment = ''] = (link ?? src ?? '').split('#');
    return { file, fragment };
  });
}

/** Returns the URL fragments of a page's headings. */
function slugsOf(markdown: string): Set<string> {
  const headings = markdown.replaceAll(/```[^]*?```/g, '').matchAll(/^#+ (.+)$/gm);
  return new Set(Array.from(headings, ([, heading = '']) => githubSlug(heading.replaceAll('`', ''))));
}
