// Installs the packages in the lockfile, and runs a TypeScript file in the repository with the Node that the lockfile
// pins. This file runs on Node 20 or later, without installed packages: `node scripts/bootstrap.js scripts/start.ts`.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HELP } from './help.js';
import { runGroup } from './process-group.js';

// `import.meta.dirname` is undefined before Node 20.11.
const root = fileURLToPath(new URL('..', import.meta.url));
const marker = join(root, 'node_modules', '.installed');
const [file, ...args] = process.argv.slice(2);

if (HELP[file] !== undefined && args.some((word) => word === '--help' || word === '-h')) {
  console.log(HELP[file]);
  process.exit(0);
}

// Runs the pinned Node by its path, because `node` could be a different version.
const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const isReady = isInstalled() || (await install());
process.exit(isReady ? await runGroup([node, '--conditions=source'], [join(root, file), ...args]) : 1);

function isInstalled() {
  return existsSync(marker) && readFileSync(marker, 'utf8') === fingerprint();
}

/**
 * Writes to standard error, because only the program may write to standard output. For example, a shell may read a key
 * from standard output.
 */
async function install() {
  console.error('Installing the packages that pnpm-lock.yaml lists …');
  const code = await runGroup([process.execPath], [join(root, 'scripts', 'install.js')]);
  if (code === 0) writeFileSync(marker, fingerprint());
  return code === 0;
}

/** The hash of everything that determines the installation: the lockfile, the workspace file, and each package.json. */
function fingerprint() {
  const folders = [
    '.',
    'demo',
    'e2e',
    'bench',
    'docs',
    ...['packages', 'examples'].flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`)),
  ];
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...folders.map((folder) => `${folder}/package.json`)];
  const hash = createHash('sha256').update(process.platform + process.arch);
  for (const file of files) {
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}
