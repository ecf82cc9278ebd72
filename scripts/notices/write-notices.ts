// Writes THIRD-PARTY-NOTICES.txt for the packages that a build has bundled. A build calls it as
//   node --conditions=source scripts/notices/write-notices.ts packages       the packages, and the Studio in demo/dist
//   node --conditions=source scripts/notices/write-notices.ts preview        the Studio in demo/dist-preview
//   node --conditions=source scripts/notices/write-notices.ts image FOLDER   the installed packages in FOLDER, which becomes an image
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';
import { runMain, UsageError } from '../usage.ts';
import { bundledPackages, folderOf, installedPackages, packageAt } from './bundled-packages.ts';
import { noticesText, type ThirdParty } from './notices.ts';

const NOTICES = 'THIRD-PARTY-NOTICES.txt';
const INTER = folderOf('@fontsource-variable/inter', join(ROOT, 'demo/package.json'));

await runMain(() => {
  const [what, folder] = process.argv.slice(2);
  if (what === 'packages') writeForPackages();
  else if (what === 'preview') writeForStudio(join(ROOT, 'demo/dist-preview'));
  else if (what === 'image' && folder !== undefined)
    write(folder, 'This image', installedPackages(join(folder, 'node_modules')));
  else throw new UsageError('Usage: write-notices.ts packages | preview | image FOLDER');
});

function writeForPackages(): void {
  for (const name of ['contract', 'token', 'doctor', 'service']) write(distOf(name), `@pulse-card/${name}`, []);
  write(distOf('widget'), '@pulse-card/widget', takeBundled(distOf('widget')));
  write(distOf('mcp'), '@pulse-card/mcp', takeBundled(distOf('mcp')));
  write(distOf('bff'), '@pulse-card/bff', writeForStudio(join(ROOT, 'demo/dist')));
}

/** Writes the notices of the Studio, with the license of its font next to the font's files. Returns what it contains. */
function writeForStudio(folder: string): ThirdParty[] {
  const packages = [...takeBundled(folder), ...packageAt(INTER)];
  write(folder, 'The Studio', packages);
  cpSync(join(INTER, 'LICENSE'), join(folder, 'studio/assets/inter-LICENSE.txt'));
  return packages;
}

/** Reads Vite's list of the bundled packages, and removes the list from the build. */
function takeBundled(folder: string): ThirdParty[] {
  const licenses = join(folder, 'licenses');
  const packages = bundledPackages(licenses);
  rmSync(licenses, { recursive: true });
  return packages;
}

function write(folder: string, what: string, packages: readonly ThirdParty[]): void {
  writeFileSync(join(folder, NOTICES), noticesText(what, packages));
}

function distOf(name: string): string {
  return join(ROOT, 'packages', name, 'dist');
}
