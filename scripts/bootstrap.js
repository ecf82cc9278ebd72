// Runs a TypeScript file of ours with the runtime that the lockfile pins, once all that it names is installed.
// Runs itself on any Node from 20 on, with nothing installed: `node scripts/bootstrap.js scripts/start.ts`.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PNPM = 'pnpm@12.21.0';
const root = join(import.meta.dirname, '..');
const marker = join(root, 'node_modules', '.installed');

const wanted = fingerprint();
if (!existsSync(marker) || readFileSync(marker, 'utf8') !== wanted) {
  console.log('Installing the packages that pnpm-lock.yaml names …');
  install();
  writeFileSync(marker, wanted);
}
// By its path: a shell that has just run one `node` would not look for another.
const node = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const [file, ...args] = process.argv.slice(2);
const child = spawn(node, ['--conditions=source', join(root, file), ...args], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
// npm ends on a signal without passing it on; whoever has lost the parent that it began with is to stop, too.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 1000).unref();
child.on('exit', (code) => process.exit(code ?? 1));

/** Hash of all that decides what is installed: the lockfile, the workspace file and each package.json. */
function fingerprint() {
  const folders = [
    '.',
    'demo',
    'e2e',
    'bench',
    ...['packages', 'examples'].flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`)),
  ];
  const files = ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...folders.map((folder) => `${folder}/package.json`)];
  const hash = createHash('sha256').update(process.platform + process.arch);
  for (const file of files) {
    if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function install() {
  const [command, ...args] = ['npx', '--yes', PNPM, 'install', '--frozen-lockfile'];
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) return;
  console.error(`Cannot install the packages: ${error?.message ?? `${PNPM} ended with ${status}`}`);
  process.exit(1);
}
