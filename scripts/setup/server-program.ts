import { pathOf } from '../run.ts';
import { installFromSystem } from './system-packages.ts';

/** A server that the tests start and that npm does not have. */
export interface ServerProgram {
  readonly title: string;
  /** Any of these will do. */
  readonly programs: readonly string[];
  /** What the package managers call it. */
  readonly packages: { readonly apt: string; readonly brew: string; readonly dnf: string };
}

/** Finds a server's program, else asks the system's package manager, and says which; undefined when both fail. */
export async function provideServer({ title, programs, packages }: ServerProgram): Promise<string | undefined> {
  const installed = found(programs);
  if (installed !== undefined) return said(title, installed, 'installed on this machine');
  console.log(`${title}: none found, asking the system's package manager …`);
  await installFromSystem(packages);
  const provided = found(programs);
  return provided === undefined ? undefined : said(title, provided, "from the system's package manager");
}

/** Debian keeps servers in folders that are on the path of root alone. */
function found(programs: readonly string[]): string | undefined {
  return programs
    .flatMap((name) => [name, `/usr/sbin/${name}`])
    .map(pathOf)
    .find((path) => path !== undefined);
}

function said(title: string, path: string, origin: string): string {
  console.log(`${title}: ${path} (${origin})`);
  return path;
}
