import { posix } from 'node:path';
import project from '../../project.json' with { type: 'json' };

/** The repository's URL, or null if it doesn't have one yet. */
const REPOSITORY: string | null = project.repository;

/** Returns the URL fragment that GitHub gives a heading, so that a link works on GitHub and on the site. */
export function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/**
 * Returns the URL of a link on `page`, a path inside docs/. Links to files outside docs/ lead to the repository and
 * have no URL until the repository has one.
 */
export function siteLink(href: string, page: string): string | null {
  const path = posix.join('docs', posix.dirname(page), href);
  if (href.startsWith('../') && !path.startsWith('docs/'))
    return REPOSITORY === null ? null : `${REPOSITORY}/blob/main/${path}`;
  return /^[a-z]+:/.test(href) ? href : href.replace(/\bREADME\.md(?=#|$)/, '');
}

/** Returns the IDs that a page has more than once. A link to such an ID leads to the wrong place. */
export function repeatedIds(html: string): string[] {
  const ids = Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id = '']) => id);
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) < index))];
}
