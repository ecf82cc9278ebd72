import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, run } from './run.ts';
import { commandStep, type Step } from './steps.ts';

/** The command that runs the repository's version of pnpm, which isn't one of its dependencies. */
export const PNPM: readonly [program: string, ...args: string[]] = ['npx', '--yes', packageManager()];

function packageManager(): string {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { packageManager: string };
  // The checksum that follows the version is for Corepack, and npm doesn't understand it.
  return manifest.packageManager.split('+', 1)[0] ?? '';
}

/** Packs a published package into `folder`. */
export function packStep(name: string, folder: string): Step {
  const [npx, ...pnpm] = PNPM;
  const cwd = join(ROOT, 'packages', name);
  return commandStep(`Pack @pulse-card/${name}`, npx, [...pnpm, 'pack', '--pack-destination', folder], { cwd });
}

// As a command, `node scripts/pnpm.ts ARGUMENTS` runs this version of pnpm.
if (process.argv[1] === import.meta.filename) {
  const [npx, ...pnpm] = PNPM;
  const args = [...pnpm, '--dir', process.cwd(), ...process.argv.slice(2)];
  // In this repository, npx would first read every installed package, which takes two seconds.
  process.exitCode = (await run(npx, args, { cwd: tmpdir() })) ? 0 : 1;
}
