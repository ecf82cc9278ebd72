import { posix } from 'node:path';
import project from '../../project.json' with { type: 'json' };

/** The address of the repository. Null until it has one. */
const REPOSITORY: string | null = project.repository;

/** The fragment that GitHub gives a heading, so that one link works on both. */
export function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/**
 * The address of a link on `page`, a path inside docs/. Links that leave docs/ lead to the repository; they have no address until
 * the repository has one.
 */
export function siteLink(href: string, page: string): string | null {
  const path = posix.join('docs', posix.dirname(page), href);
  if (href.startsWith('../') && !path.startsWith('docs/'))
    return REPOSITORY === null ? null : `${REPOSITORY}/blob/main/${path}`;
  return /^[a-z]+:/.test(href) ? href : href.replace(/\bREADME\.md(?=#|$)/, '');
}
