import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTheme, defineConfig, type MarkdownRenderer } from 'vitepress';
import { writeLlmsFiles } from './llms.ts';
import bff from '@pulse-card/bff/package.json' with { type: 'json' };
import project from '../../project.json' with { type: 'json' };
import { githubSlug, repeatedIds, siteLink } from './markdown.ts';
import { SECTIONS } from './pages.ts';

const DOCS = dirname(dirname(fileURLToPath(import.meta.url)));

type Token = ReturnType<MarkdownRenderer['parse']>[number];

/** The site's URL path. */
const BASE = process.env['DOCS_BASE'] ?? '/';

/** The configuration for the site, which shows the same Markdown as GitHub. */
export default defineConfig({
  title: 'Pulse Card',
  description: 'A chart with its AI commentary on any web page.',
  base: BASE,
  cleanUrls: true,
  // GitHub shows README.md as the home page, but the site has its own. Decisions are for contributors.
  srcExclude: ['README.md', 'decisions/**'],
  lastUpdated: true,
  markdown: {
    anchor: { slugify: githubSlug },
    // Braces are text, as on GitHub: `Version of {date}`.
    attrs: { disable: true },
    // The default themes have comments and strings with a contrast below 4.5.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config(md) {
      md.core.ruler.push('repository-links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' && token.attrGet('href');
          if (href) setHref(token, siteLink(href, env.relativePath));
        }
      });
    },
  },
  themeConfig: {
    nav: [
      ...SECTIONS.map(({ text, items }) => ({ text, link: items[0]?.link ?? '/' })),
      { text: versionText(bff.version), link: '/operate/maintain#upgrade' },
    ],
    sidebar: SECTIONS.map(({ text, items }) => ({ text, items: [...items] })),
    // Readers paste error messages into the search, so these words count as much as those in a title.
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: { fuzzy: false, prefix: true, boost: { title: 1, text: 2, titles: 1 } } },
      },
    },
    outline: [2, 3],
    ...repositoryLinks(),
  },
  transformHtml(html, file) {
    const twice = repeatedIds(html);
    if (twice.length > 0) throw new Error(`${file} has IDs more than once: ${twice.join(', ')}`);
  },
  buildEnd: ({ outDir }) => writeLlmsFiles({ docs: DOCS, site: outDir, base: BASE }),
});

/** Sets or removes a link's `href`. */
function setHref(token: Token, href: string | null): void {
  if (href === null) token.attrs = token.attrs?.filter(([name]) => name !== 'href') ?? null;
  else token.attrSet('href', href);
}

/** The version that the site describes. Each release builds a new site. */
function versionText(version: string): string {
  return version === '0.0.0' ? 'Unreleased' : `v${version}`;
}

/** The links to the repository, if it has a URL. */
function repositoryLinks(): DefaultTheme.Config {
  const repository = project.repository as string | null;
  if (repository === null) return {};
  return {
    editLink: { pattern: `${repository}/edit/main/docs/:path` },
    socialLinks: [{ icon: 'github', link: repository }],
  };
}
