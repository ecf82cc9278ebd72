// Installs what one of the repository's programs needs and runs it with a suitable version of Node. This file runs on
// Node 20 or later, without installed packages: `node scripts/bootstrap.js scripts/start.ts`.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HELP } from './help.js';
import { runGroup } from './process-group.js';

// `import.meta.dirname` is undefined before Node 20.11.
const root = fileURLToPath(new URL('..', import.meta.url));
const marker = join(root, 'node_modules', '.installed');
const [file, ...args] = process.argv.slice(2);

/** The scopes that can be installed, from smallest to largest. */
const SCOPES = ['start', 'build', 'all'];

/** The programs that don't need everything. @type {Readonly<Record<string, string>>} */
const SCOPE_OF = {
  'scripts/start.ts': 'start',
  'packages/bff/src/main.ts': 'start',
  'packages/service/src/main.ts': 'start',
  'packages/doctor/src/main.ts': 'start',
  'packages/mcp/src/main.ts': 'build',
  'scripts/build.ts': 'build',
  'scripts/pack.ts': 'build',
};

/**
 * What is installed for each scope, and what a machine without a package cache downloads. @type
 * {Readonly<Record<string, string>>}
 */
const CONTENTS = {
  start: 'the packages that run Pulse Card (up to 80 MB to download)',
  build: 'the packages that a build needs',
  all: 'all packages, with those that checks and tests need',
};

if (HELP[file] !== undefined && args.some((word) => word === '--help' || word === '-h')) {
  console.log(HELP[file]);
  process.exit(0);
}

const pinned = join(root, 'tools/node/node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
const needsPinned = !isNewEnough() || isInRepository(process.execPath);
const isReady = isInstalled() || (await install());
const node = needsPinned ? pinned : process.execPath;
process.exit(isReady ? await runGroup([node, '--conditions=source'], [join(root, file), ...args]) : 1);

/** Whether this Node can run the repository: version 22.19 or later, which runs TypeScript. */
function isNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return (major > 22 || (major === 22 && minor >= 19)) && Boolean(process.features.typescript);
}

/** Whether this is the pinned Node, which comes first in the `PATH` of npm's scripts once it is installed. */
function isInRepository(path) {
  return realpathSync(path).startsWith(realpathSync(root) + sep);
}

function isInstalled() {
  if (needsPinned && !existsSync(pinned)) return false;
  return readMarker() === fingerprint() && contains(installedScope(), neededScope());
}

/**
 * Installs what is needed, and what was installed before, so that nothing is removed. Writes to standard error, because
 * standard output is reserved for the program. For example, a shell might read a key from it.
 */
async function install() {
  const scope = contains(installedScope(), neededScope()) ? installedScope() : neededScope();
  const withNode = `, and Node for the repository, because this is Node ${process.versions.node} (55 MB)`;
  console.error(`Installing ${CONTENTS[scope]}${needsPinned && !existsSync(pinned) ? withNode : ''} …`);
  try {
    // In a read-only clone, npm would only say that it can't find a file, as `mkdirSync()` does with `recursive`.
    if (!existsSync(dirname(marker))) mkdirSync(dirname(marker));
  } catch (error) {
    console.error(`Can’t install the packages: ${error.message}`);
    return false;
  }
  const options = [scope, ...(needsPinned ? ['with-node'] : [])];
  const code = await runGroup([process.execPath], [join(root, 'scripts', 'install.js'), ...options]);
  if (code !== 0) return false;
  if (needsPinned) linkNode();
  writeFileSync(marker, `${fingerprint()} ${scope}`);
  return true;
}

/** Puts the pinned Node first in the `PATH` of npm's scripts. */
function linkNode() {
  const link = join(root, 'node_modules/.bin', basename(pinned));
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), pinned), link);
}

/** The fingerprint of the current installation. */
function readMarker() {
  return existsSync(marker) ? readFileSync(marker, 'utf8').split(' ')[0] : undefined;
}

/** The installed scope. The development packages might also have been installed by hand. */
function installedScope() {
  if (existsSync(marker)) return readFileSync(marker, 'utf8').split(' ')[1] ?? 'all';
  const state = join(root, 'node_modules/.modules.yaml');
  return existsSync(state) && readFileSync(state, 'utf8').includes('"devDependencies": true') ? 'all' : 'start';
}

function neededScope() {
  return SCOPE_OF[file] ?? 'all';
}

/** @param {string} scope @param {string} other */
function contains(scope, other) {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(other);
}

/** A hash of everything that determines the installation: the lockfile, the workspace file, and each package.json. */
function fingerprint() {
  const groups = ['packages', 'examples'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
  const folders = ['.', 'demo', 'e2e', 'bench', 'docs', 'scripts', 'tools', 'tools/node', ...groups];
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...folders.map((folder) => `${folder}/package.json`)];
  const hash = createHash('sha256').update(process.platform + process.arch);
  for (const one of files) {
    if (existsSync(join(root, one))) hash.update(one).update(readFileSync(join(root, one)));
  }
  return hash.digest('hex');
}
