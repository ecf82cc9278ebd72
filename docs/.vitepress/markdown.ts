import { posix } from 'node:path';

/** Where files outside docs/ are read. */
export const REPOSITORY = 'https://github.com/pulse-card/pulse-card/blob/main';

/** The fragment that GitHub gives a heading, so that one link works on both. */
export function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/** The address of a link on `page`, a path inside docs/: links that leave docs/ lead to the repository. */
export function siteLink(href: string, page: string): string {
  const path = posix.join('docs', posix.dirname(page), href);
  if (href.startsWith('../') && !path.startsWith('docs/')) return `${REPOSITORY}/${path}`;
  return /^[a-z]+:/.test(href) ? href : href.replace(/\bREADME\.md(?=#|$)/, '');
}
