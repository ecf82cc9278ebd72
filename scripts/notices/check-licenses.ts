// Lists the third-party packages in each tarball and each image, and fails if a notice file leaves one out. Needs a
// build and the packed tarballs: node --conditions=source scripts/notices/check-licenses.ts FOLDER_OF_TARBALLS
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { PNPM } from '../pnpm.ts';
import { ask } from '../run.ts';
import { runMain, UsageError } from '../usage.ts';
import { bundledFiles } from './bundles.ts';
import { licensesIn, type LicenseReport } from './licenses-in.ts';

await runMain(async () => {
  const [packs] = process.argv.slice(2);
  if (packs === undefined) throw new UsageError('Usage: check-licenses.ts FOLDER_OF_TARBALLS');
  const tarballs = globSync('*.tgz', { cwd: packs }).map((file) => resolve(packs, file));
  const bundles = await bundledFiles();
  const folder = mkdtempSync(join(tmpdir(), 'pulse-licenses-'));
  try {
    const reports = [
      ...tarballs.map((file) => {
        return { what: basename(file), ...licensesIn(unpacked(file, join(folder, basename(file))), bundles) };
      }),
      ...['bff', 'service'].map((name) => {
        return { what: `image of the ${name}`, ...licensesIn(imageFolder(name, join(folder, name)), bundles) };
      }),
    ];
    for (const report of reports) console.log(lineOf(report));
    if (reports.some(({ missing }) => missing.length > 0)) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function unpacked(tarball: string, folder: string): string {
  mkdirSync(folder);
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  return folder;
}

/** Creates a package's folder in the same way as the Dockerfile. */
function imageFolder(name: string, folder: string): string {
  const [npx, ...pnpm] = PNPM;
  const deploy = [
    ...pnpm,
    '--filter',
    `@pulse-card/${name}`,
    '--config.injectWorkspacePackages=true',
    'deploy',
    '--prod',
    folder,
  ];
  const notices = ['--conditions=source', 'scripts/notices/write-notices.ts', 'image', folder];
  for (const [command, args] of [
    [npx, deploy],
    [process.execPath, notices],
  ] as const) {
    const { ok, stdout, stderr } = ask(command, args);
    if (!ok) throw new Error(`Cannot create the image of the ${name}: ${stdout}${stderr}`);
  }
  return folder;
}

function lineOf({ what, bundled, installed, missing }: LicenseReport & { readonly what: string }): string {
  const inside = `${String(bundled.length).padStart(3)} bundled, ${String(installed.length).padStart(3)} installed`;
  return `${what.padEnd(32)} ${inside}, ${missing.length === 0 ? 'each in the notices' : `not in the notices: ${missing.join(', ')}`}`;
}
