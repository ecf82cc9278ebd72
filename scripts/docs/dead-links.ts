import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the dead links of the site in the folder `site`, with their pages. Checks only links to pages of this site, and to
 * elements of these pages. `base` is the URL path of the site.
 */
export function deadLinks(site: string, base: string): string[] {
  return globSync('**/*.html', { cwd: site }).flatMap((page) => {
    const links = readFileSync(join(site, page), 'utf8').matchAll(/<a [^>]*?href="([^"]+)"/g);
    const own = Array.from(links, ([, href = '']) => href).filter((href) => !/^[a-z]+:/.test(href));
    return own
      .filter((href) => !hasTarget(site, page, href.startsWith(base) ? `/${href.slice(base.length)}` : href))
      .map((href) => `${page}: ${href}`);
  });
}

function hasTarget(site: string, page: string, href: string): boolean {
  const [path = '', fragment] = href.split('#');
  const base = path === '' ? page : path.startsWith('/') ? path : join(dirname(page), path);
  const file = [base, `${base}.html`, join(base, 'index.html')].map((name) => join(site, name)).find(isFile);
  if (file === undefined) return false;
  return fragment === undefined || readFileSync(file, 'utf8').includes(`id="${decodeURIComponent(fragment)}"`);
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}
