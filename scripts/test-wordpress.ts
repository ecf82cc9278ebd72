import { existsSync } from 'node:fs';
import { pathOf, runTestFiles } from './run.ts';
import { installFromSystem } from './setup/system-packages.ts';
import { WORDPRESS_FOLDER } from '../packages/testkit/src/wordpress/site.ts';

/** Debian's packages, each with a check of whether it is installed. */
const PACKAGES = [
  ['php-cli', () => pathOf('php') !== undefined],
  ['mariadb-server', () => existsSync('/usr/sbin/mariadbd')],
  ['wordpress', () => existsSync(WORDPRESS_FOLDER)],
  ['wordpress-theme-twentytwentyone', () => existsSync(`${WORDPRESS_FOLDER}/wp-content/themes/twentytwentyone`)],
] as const;

await main();

/**
 * Installs WordPress from Debian's packages, publishes a post with a frame's URL, and opens the post in a
 * browser. Needs a build.
 */
async function main(): Promise<void> {
  const missing = () => PACKAGES.filter(([, isThere]) => !isThere()).map(([name]) => name);
  await installFromSystem(missing().map((name) => ({ title: name, names: { apt: name, dnf: name } })));
  if (missing().length > 0) throw new Error(`Cannot run the WordPress tests: ${missing().join(', ')} not found`);
  await runTestFiles(['e2e/packaging/wordpress.test.ts']);
}
