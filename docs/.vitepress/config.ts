import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { writeLlmsFiles } from './llms.ts';
import { githubSlug, siteLink } from './markdown.ts';
import { SECTIONS } from './pages.ts';

const DOCS = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where the site lies on its host. */
const BASE = process.env['DOCS_BASE'] ?? '/';

/** The site: the same Markdown that GitHub shows. */
export default defineConfig({
  title: 'Pulse Card',
  description: 'A chart with its AI commentary on any web page.',
  base: BASE,
  cleanUrls: true,
  rewrites: { 'README.md': 'index.md', 'decisions/README.md': 'decisions/index.md' },
  markdown: {
    anchor: { slugify: githubSlug },
    config(md) {
      md.core.ruler.push('repository-links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === 'link_open' && token.attrGet('href');
          if (href) token.attrSet('href', siteLink(href, env.relativePath));
        }
      });
    },
  },
  themeConfig: {
    sidebar: SECTIONS.map(({ text, items }) => ({ text, items: [...items] })),
    // Readers paste the words of an error: these count like the words of a title.
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: { fuzzy: false, prefix: true, boost: { title: 1, text: 2, titles: 1 } } },
      },
    },
    outline: [2, 3],
    editLink: { pattern: 'https://github.com/pulse-card/pulse-card/edit/main/docs/:path' },
    socialLinks: [{ icon: 'github', link: 'https://github.com/pulse-card/pulse-card' }],
  },
  buildEnd: ({ outDir }) => writeLlmsFiles({ docs: DOCS, site: outDir, base: BASE }),
});
