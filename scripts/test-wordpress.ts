import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pathOf, ROOT } from './run.ts';
import { installFromSystem } from './setup/system-packages.ts';
import { WORDPRESS_FOLDER } from '../packages/testkit/src/wordpress/site.ts';

const REASON = 'the WordPress tests';

await main();

/**
 * Installs WordPress from Debian's packages, publishes a post with the address of a frame, and opens the post in a
 * browser. Needs a build.
 */
async function main(): Promise<void> {
  for (const [name, isThere] of [
    ['php-cli', () => pathOf('php') !== undefined],
    ['mariadb-server', () => existsSync('/usr/sbin/mariadbd')],
    ['wordpress', () => existsSync(WORDPRESS_FOLDER)],
    ['wordpress-theme-twentytwentyone', () => existsSync(`${WORDPRESS_FOLDER}/wp-content/themes/twentytwentyone`)],
  ] as const) {
    if (!isThere()) await installFromSystem({ title: name, reason: REASON, names: { apt: name, dnf: name } });
    if (!isThere()) throw new Error(`Cannot run ${REASON}: ${name} could not be installed`);
  }
  const { status } = spawnSync(process.execPath, ['--conditions=source', '--test', 'e2e/packaging/wordpress.test.ts'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
