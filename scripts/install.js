// Installs the packages that the lockfile lists, with the pnpm version that it specifies. This file runs on Node 20 or
// later.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PNPM = 'pnpm@12.21.0';

const child = spawn('npx', ['--yes', PNPM, 'install', '--frozen-lockfile'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  // The output of pnpm goes to standard error.
  stdio: ['inherit', 2, 2],
  shell: process.platform === 'win32',
});
child.once('error', ({ message }) => fail(message));
child.once('exit', (code) => code !== 0 && fail(`${PNPM} exited with code ${code}`));

/** @param {string} reason */
function fail(reason) {
  console.error(`Cannot install the packages: ${reason}`);
  process.exitCode = 1;
}
