import { join } from 'node:path';
import { capture, pathOf } from '../run.ts';

/** A program that the tests start and that npm does not have. */
export interface SystemPackage {
  /** Its usual name. */
  readonly title: string;
  /** The part that needs it. */
  readonly reason: string;
  /** Its package, by package manager. */
  readonly names: { readonly apt: string; readonly brew?: string; readonly dnf: string };
}

const APT_INSTALL = join(import.meta.dirname, 'apt-install.sh');

/** Installs a package with the system's package manager, after a line that says which and why. Starts and enables no service. */
export async function installFromSystem({ title, reason, names }: SystemPackage): Promise<void> {
  const command = installCommand(names);
  if (command === undefined) return;
  console.log(`${title}: none found. Installing it for ${reason}: ${command.join(' ')}`);
  const [program = '', ...args] = command;
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
