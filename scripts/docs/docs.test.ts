import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { ERROR_STATUS } from '@pulse-card/contract';
import { githubSlug } from '@pulse-card/docs/markdown';
import { SECTIONS } from '@pulse-card/docs/pages';
import { snippetFor } from '@pulse-card/widget/snippet';
import { parse } from 'yaml';
import { ROOT } from '../run.ts';
import { documentationPages } from './documentation-pages.ts';

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const PAGES = documentationPages();

/** The code blocks in these languages. */
function blocksIn(language: string): { page: string; code: string }[] {
  const block = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g');
  return PAGES.flatMap((page) => Array.from(textOf(page).matchAll(block), ([, code = '']) => ({ page, code })));
}

/** The fragments of a page's headings. */
function slugsOf(markdown: string): Set<string> {
  const headings = markdown.replaceAll(/```[^]*?```/g, '').matchAll(/^#+ (.+)$/gm);
  return new Set(Array.from(headings, ([, heading = '']) => githubSlug(heading.replaceAll('`', ''))));
}

describe('The documentation', () => {
  it('links only to files and headings that exist', () => {
    const links = PAGES.flatMap((page) => {
      const prose = textOf(page).replaceAll(/```[^]*?```|`[^`\n]*`/g, '');
      const found = prose.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)#?([^)\s]*)|(?:srcset|src)="(?!https?:)([^"]+)"/g);
      return Array.from(found, ([, link, heading, source]) => ({
        page,
        file: link === '' ? page : join(dirname(page), link ?? source ?? ''),
        heading,
      }));
    });
    assert.ok(links.length > 50);
    const isBroken = ({ file, heading }: (typeof links)[number]) =>
      !existsSync(join(ROOT, file)) || (heading && !slugsOf(textOf(file)).has(heading));
    assert.deepEqual(links.filter(isBroken), []);
  });

  it('lists every page in the sidebar, under its title', () => {
    const items = SECTIONS.flatMap((section) => section.items);
    const files = PAGES.filter((page) => /^docs\/(?!README|index|decisions\/)/.test(page));
    assert.deepEqual(items.map(({ file }) => `docs/${file}`).toSorted(), files);
    for (const { text, file } of items) assert.ok(textOf(`docs/${file}`).includes(`# ${text}\n`), file);
  });

  it('mentions only variables, custom properties, and states that exist', () => {
    const reference = textOf('docs/reference/configuration.md') + textOf('docs/reference/elements.md');
    const ofStart = textOf('scripts/help.js');
    for (const page of PAGES)
      for (const [name] of textOf(page).matchAll(/\bPULSE_[A-Z_]*[A-Z]\b|--pulse-card-[\w-]+|:state\(\w+\)/g))
        assert.ok(reference.includes(name) || ofStart.includes(name), `${page}: ${name}`);
  });

  it('explains every error code in one place', () => {
    const pages = textOf('docs/operate/troubleshoot.md') + textOf('docs/operate/troubleshoot-server.md');
    for (const code of Object.keys(ERROR_STATUS)) assert.equal(pages.split(`\n### ${code}\n`).length, 2, code);
  });

  it('contains only JSON, YAML, and shell commands that can be parsed', () => {
    for (const { page, code } of blocksIn('json')) assert.doesNotThrow(() => JSON.parse(code) as unknown, page);
    for (const { page, code } of blocksIn('yaml')) assert.doesNotThrow(() => parse(code) as unknown, page);
    for (const { code } of blocksIn('sh')) execFileSync('bash', ['-n'], { input: code });
  });
});

describe('The code to copy is what snippetFor() returns', () => {
  const demo = snippetFor({
    sourceId: 'src_us_employment',
    baseUrl: 'http://localhost:4020',
    name: 'US employment',
    chartRatio: 16 / 9,
  });

  it('in docs/embed.md', () => {
    const [, shown] = /<!-- snippet -->\n```html\n([^]*?)```/.exec(textOf('docs/embed.md')) ?? [];
    const options = { sourceId: 'src_01JZ8R2M', baseUrl: 'https://pulse.example.com', name: 'Q2 revenue' };
    assert.equal(shown?.trim(), snippetFor({ ...options, chartRatio: 16 / 9 }).trim());
  });

  it('in examples/wordpress/block.html', () =>
    assert.equal(textOf('examples/wordpress/block.html'), `<!-- wp:html -->\n${demo.trim()}\n<!-- /wp:html -->\n`));
});
