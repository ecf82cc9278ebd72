import { readFileSync } from 'node:fs';

/** A page on the site. */
export interface Page {
  readonly text: string;
  /** The path to its file in docs/. */
  readonly file: string;
  /** Its URL path. */
  readonly link: string;
  /** Its content in one line. */
  readonly about: string;
}

/** Pages that belong together. */
export interface Section {
  readonly text: string;
  readonly items: readonly Page[];
}

/** The pages on the site, in sidebar order. docs/README.md lists them and is the index on GitHub. */
export const SECTIONS: readonly Section[] = sectionsIn(readFileSync(new URL('../README.md', import.meta.url), 'utf8'));

function sectionsIn(index: string): Section[] {
  const [, ...sections] = index.split(/^## /m);
  return sections.map((section) => {
    const [text = ''] = section.split('\n', 1);
    const rows = section.matchAll(/^\| \[(.+?)\]\((.+?)\) \| (.+) \|$/gm);
    return { text, items: Array.from(rows, ([, name = '', file = '', about = '']) => pageOf(name, file, about)) };
  });
}

function pageOf(text: string, file: string, about: string): Page {
  return { text, file, link: `/${file.replace(/(?:README)?\.md$/, '')}`, about };
}
