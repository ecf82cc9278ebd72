import { join } from 'node:path';
import { styleText } from 'node:util';
import { ask, pathOf } from './ask.ts';

/** A system package that npm doesn't provide. */
export interface SystemPackage {
  readonly title: string;
  /** The package's name in each package manager. */
  readonly names: { readonly apt: string; readonly brew?: string; readonly dnf: string };
}

/** The package managers, each with the command that installs packages and the command that a person would use. */
const MANAGERS = [
  { name: 'apt', program: 'apt-get', command: ['sh', join(import.meta.dirname, 'apt-install.sh')], needsRoot: true },
  { name: 'dnf', program: 'dnf', command: ['dnf', 'install', '-y', '-q'], needsRoot: true },
  { name: 'brew', program: 'brew', command: ['brew', 'install'], needsRoot: false },
] as const;

/**
 * Installs packages with the system's package manager, as root (for example in a container) or with `--install` on the
 * command line. Otherwise, throws an error that contains the command that installs them. Does nothing on a system
 * without a known package manager. No service is started or enabled.
 */
export function installFromSystem(packages: readonly SystemPackage[]): void {
  const manager = MANAGERS.find(({ program }) => pathOf(program) !== undefined);
  const names = packages.flatMap(({ names: all }) => (manager && all[manager.name]) ?? []);
  if (manager === undefined || names.length === 0) return;
  const isRoot = process.getuid?.() === 0;
  const sudo = isRoot || !manager.needsRoot ? [] : ['sudo'];
  const titles = packages.map(({ title }) => title).join(', ');
  if (!isRoot && !process.argv.includes('--install')) {
    const command = [...sudo, manager.program, 'install', ...names].join(' ');
    throw new Error(`${titles}: not found. Install with "${command}", or add --install to this command`);
  }
  const [program = '', ...args] = [...sudo, ...manager.command, ...names];
  console.log(`${titles}: not found. Installing: ${styleText('bold', [program, ...args].join(' '))}`);
  const { ok, stderr } = ask(program, args);
  if (!ok) console.error(`Can’t install ${titles}:\n${stderr}`);
}
