import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { lexer, parser, Renderer, type Token, type Tokens } from 'marked';
import type { Plugin } from 'vite';
import { githubSlug } from '../docs/.vitepress/markdown.ts';
import project from '../project.json' with { type: 'json' };

const DOCS = join(import.meta.dirname, '../docs');

/** The address of the repository. Null until the repository has an address. */
const REPOSITORY: string | null = project.repository;

/** The guides of docs/ for people who run a page. `path` is below docs/. */
export const GUIDES = [
  { id: 'embed', path: 'embed.md', title: 'Embed a card' },
  { id: 'frameworks', path: 'cards/frameworks.md', title: 'React, Vue, Svelte' },
  { id: 'sites', path: 'cards/other-sites.md', title: 'WordPress and other sites' },
  { id: 'style', path: 'style.md', title: 'Style a card' },
  { id: 'languages', path: 'cards/languages.md', title: 'Languages' },
  { id: 'policy', path: 'cards/csp.md', title: 'Content-Security-Policy' },
  { id: 'login', path: 'embed-behind-a-login.md', title: 'Embed behind a login' },
  { id: 'troubleshoot', path: 'operate/troubleshoot.md', title: 'Troubleshoot' },
] as const;

/** The module that has the guides. */
const MODULE = 'virtual:guides';

/** A `<picture>` in a guide, with a light and a dark version. */
const PICTURE =
  /<picture>\s*<source [^>]*srcset="(?<dark>[^"]+\.png)">\s*<img src="(?<light>[^"]+\.png)" width="(?<width>\d+)" alt="(?<alt>[^"]*)">/;

/** An element without content in an HTML sample. */
const ELEMENT = /^<(?<tagName>pulse-card|pulse-board)(?<attributes>(?: [\w-]+(?:="[^"]*")?)*)><\/\k<tagName>>$/m;

/**
 * Renders the guides while the Studio is built. `import { GUIDES } from 'virtual:guides'` returns them. A guide is
 * divided where the Studio shows the element of a sample.
 */
export function guidesPlugin(): Plugin {
  return {
    name: 'guides',
    resolveId: (id) => (id === MODULE ? `\0${MODULE}` : undefined),
    load(id) {
      if (id !== `\0${MODULE}`) return undefined;
      for (const { path } of GUIDES) this.addWatchFile(join(DOCS, path));
      return moduleText();
    },
  };
}

function moduleText(): string {
  const pictures = new Map<string, string>();
  const guides = GUIDES.map(({ id, path, title }) => {
    const tokens = lexer(readFileSync(join(DOCS, path), 'utf8'));
    const renderer = new GuideRenderer(path, pictures);
    return { id, title, headings: headingsIn(tokens), parts: partsOf(tokens, renderer) };
  });
  const imports = Array.from(pictures, ([file, name]) => `import ${name} from ${JSON.stringify(file)};`);
  const text = JSON.stringify(guides).replaceAll(/\{\{(picture\d+)\}\}/g, '" + $1 + "');
  return `${imports.join('\n')}\nexport const GUIDES = ${text};`;
}

function headingsIn(tokens: readonly Token[]): { id: string; text: string }[] {
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading' && token.depth === 2);
  return headings.map(({ text }) => ({ id: githubSlug(text), text: text.replaceAll('`', '') }));
}

function partsOf(tokens: readonly Token[], renderer: Renderer) {
  const parts: { html: string; sample?: object }[] = [{ html: '' }];
  for (const token of tokens) {
    const part = parts.at(-1)!;
    part.html += parser([token], { renderer });
    const groups = token.type === 'code' && token['lang'] === 'html' ? ELEMENT.exec(token['text'])?.groups : undefined;
    if (groups === undefined) continue;
    const attributes = (groups['attributes'] ?? '').matchAll(/([\w-]+)(?:="([^"]*)")?/g);
    part.sample = {
      tagName: groups['tagName'],
      attributes: Object.fromEntries(Array.from(attributes, ([, name, value = '']) => [name, value])),
    };
    parts.push({ html: '' });
  }
  return parts;
}

class GuideRenderer extends Renderer {
  readonly #path: string;
  /** The names of the imported pictures, by their files. */
  readonly #pictures: Map<string, string>;

  constructor(path: string, pictures: Map<string, string>) {
    super();
    this.#path = path;
    this.#pictures = pictures;
  }

  override heading({ tokens, depth, text }: Tokens.Heading): string {
    const id = depth === 1 ? '' : ` id="${githubSlug(text)}"`;
    return `<h${depth}${id}>${this.parser.parseInline(tokens)}</h${depth}>`;
  }

  override code({ text }: Tokens.Code): string {
    const code = escaped(text);
    return `<div class="lines"><pre tabindex="0" dir="ltr" aria-label="Code">${code}</pre><copy-button kind="icon" label="Copy" text="${code}"></copy-button></div>`;
  }

  override table(token: Tokens.Table): string {
    return `<div class="table" tabindex="0" role="group" aria-label="Table">${super.table(token)}</div>`;
  }

  override link({ href, tokens }: Tokens.Link): string {
    const target = this.#linkOf(href);
    return `<a${target === null ? '' : ` href="${escaped(target)}"`}>${this.parser.parseInline(tokens)}</a>`;
  }

  /** Only pictures are shown. The other HTML in the guides is comments. */
  override html({ raw }: Tokens.HTML | Tokens.Tag): string {
    const { light, dark, alt = '', width } = PICTURE.exec(raw)?.groups ?? {};
    if (light === undefined || dark === undefined) return '';
    const size = sizeOf(this.#fileOf(light));
    const height = Math.round((Number(width) * size.height) / size.width);
    const image = (scheme: string, path: string) =>
      `<img class="${scheme}" src="{{${this.#nameOf(path)}}}" alt="${alt}" width="${width}" height="${height}" loading="lazy">`;
    return image('for-light', light) + image('for-dark', dark);
  }

  #nameOf(path: string): string {
    const file = this.#fileOf(path);
    const name = this.#pictures.get(file) ?? `picture${this.#pictures.size}`;
    this.#pictures.set(file, name);
    return name;
  }

  #fileOf(path: string): string {
    return join(DOCS, posix.dirname(this.#path), path);
  }

  /**
   * The target of a link: a guide or the reference in the Studio, or a page in the repository. Null if the repository
   * has no address yet.
   */
  #linkOf(href: string): string | null {
    if (/^(?:https?:|#)/.test(href)) return href;
    const [file = '', fragment] = posix.join('docs', posix.dirname(this.#path), href).split('#');
    const hash = fragment === undefined ? '' : `#${fragment}`;
    if (file === 'docs/reference/elements.md') return '?';
    const guide = GUIDES.find(({ path }) => file === `docs/${path}`);
    if (guide !== undefined) return `?guide=${guide.id}${hash}`;
    return REPOSITORY === null ? null : `${REPOSITORY}/blob/main/${file}${hash}`;
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The size of a PNG, read from its first chunk. */
function sizeOf(file: string): { readonly width: number; readonly height: number } {
  const png = readFileSync(file);
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}
