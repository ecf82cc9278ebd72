// Installs the packages that a command needs, with the versions in the lockfile: `node scripts/install.js SCOPE`. This
// file runs on Node 20 or later, without installed packages.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// `import.meta.dirname` is undefined before Node 20.11.
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The pnpm version, without the checksum, which is for Corepack. */
const [PNPM] = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).packageManager.split('+');

/** npm stores its downloads here during the installation. */
const NPM_CACHE = join(ROOT, '.cache/npm');

const PRODUCT = ['.', './scripts', './packages/*', './demo', '!@pulse-card/testkit'];

/**
 * The packages in each scope. `npm start` runs the product from its sources, so it doesn't need development packages.
 * CI verifies the age and the origin of all packages in the lockfile, for which pnpm downloads 230 MB. The first start
 * trusts the lockfile instead.
 *
 * @type {Readonly<Record<string, { packages: readonly string[], options: readonly string[] }>>}
 */
const SCOPES = {
  start: { packages: [...PRODUCT, '!@pulse-card/mcp'], options: ['--prod', '--trust-lockfile'] },
  build: { packages: [...PRODUCT, './examples/*'], options: [] },
  all: { packages: ['*'], options: [] },
};

const [scope = 'all', withNode] = process.argv.slice(2);
const { packages, options } = SCOPES[scope] ?? SCOPES.all;
const filters = [...packages, withNode === undefined ? '!@pulse-card/node' : '@pulse-card/node'];
const args = ['--yes', PNPM, 'install', '--frozen-lockfile', ...options];

removeCache();
const child = spawn('npx', [...args, ...filters.flatMap((one) => ['--filter', one])], {
  cwd: ROOT,
  env: {
    ...process.env,
    // A notice about a newer npm version would look like something that the user has to do.
    npm_config_update_notifier: 'false',
    ...(scope === 'start' ? { npm_config_cache: NPM_CACHE } : {}),
  },
  // pnpm's output goes to standard error.
  stdio: ['inherit', 2, 2],
  shell: process.platform === 'win32',
});
child.once('error', ({ message }) => fail(message));
child.once('exit', (code) => {
  removeCache();
  removeHeaders();
  if (code !== 0) fail(`${PNPM} exited with code ${code}`);
});

function removeCache() {
  rmSync(NPM_CACHE, { recursive: true, force: true });
}

/**
 * The `node` package links its binary from another package, which also contains 67 MB of headers and is no longer
 * needed.
 */
function removeHeaders() {
  const node = join(ROOT, 'tools/node/node_modules/node');
  if (!existsSync(node)) return;
  const folder = join(realpathSync(node), 'node_modules');
  const platforms = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('node-')) : [];
  for (const name of platforms) rmSync(join(folder, name), { recursive: true });
}

/** @param {string} reason */
function fail(reason) {
  console.error(`Can’t install the packages: ${reason}`);
  process.exitCode = 1;
}
