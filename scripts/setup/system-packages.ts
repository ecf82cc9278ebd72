import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { capture, pathOf } from '../run.ts';

/** A program that the tests start and that npm doesn't provide. */
export interface SystemPackage {
  /** Its usual name. */
  readonly title: string;
  /** The tests that need the program. */
  readonly reason: string;
  /** The name of its package in each package manager. */
  readonly names: { readonly apt: string; readonly brew?: string; readonly dnf: string };
}

const APT_INSTALL = join(import.meta.dirname, 'apt-install.sh');

/** How long a person has to stop an installation, in ms. */
const GRACE_MS = 5_000;

/**
 * Installs a package with the system's package manager. First prints the command and the reason. On a terminal, then
 * waits 5 s for Ctrl+C if the command uses `sudo`. No service is started or enabled.
 */
export async function installFromSystem({ title, reason, names }: SystemPackage): Promise<void> {
  const command = installCommand(names);
  if (command === undefined) return;
  console.log(`${title}: none found. Installing it for ${reason}: ${command.join(' ')}`);
  const [program = '', ...args] = command;
  if (program === 'sudo' && process.stdout.isTTY) {
    console.log(`Press Ctrl+C within ${GRACE_MS / 1_000} s to stop.`);
    await setTimeout(GRACE_MS);
  }
  const { ok, output } = await capture(program, args);
  if (!ok) console.error(`Cannot install ${title}:\n${output}`);
}

function installCommand(names: SystemPackage['names']): string[] | undefined {
  if (pathOf('apt-get') !== undefined) return asRoot(['sh', APT_INSTALL, names.apt]);
  if (pathOf('dnf') !== undefined) return asRoot(['dnf', 'install', '-y', '-q', names.dnf]);
  return pathOf('brew') === undefined || names.brew === undefined ? undefined : ['brew', 'install', names.brew];
}

function asRoot(command: string[]): string[] | undefined {
  if (process.getuid?.() === 0) return command;
  return pathOf('sudo') === undefined ? undefined : ['sudo', '-n', ...command];
}
