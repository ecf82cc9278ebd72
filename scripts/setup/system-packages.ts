import { run, pathOf } from '../run.ts';

/** Installs a program by the system's package manager, where there is one that we know; resolves to whether it is there then. */
export async function installFromSystem(names: { apt: string; brew: string; dnf: string }): Promise<boolean> {
  if (pathOf('apt-get') !== undefined) {
    return (
      (await asRoot('apt-get', ['update', '-qq'])) && (await asRoot('apt-get', ['install', '-y', '-qq', names.apt]))
    );
  }
  if (pathOf('dnf') !== undefined) return asRoot('dnf', ['install', '-y', '-q', names.dnf]);
  if (pathOf('brew') !== undefined) return run('brew', ['install', names.brew]);
  return false;
}

function asRoot(command: string, args: readonly string[]): Promise<boolean> {
  if (process.getuid?.() === 0) return run(command, args, { env: { DEBIAN_FRONTEND: 'noninteractive' } });
  return pathOf('sudo') === undefined ? Promise.resolve(false) : run('sudo', ['-n', command, ...args]);
}
