import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/run.ts';
import { runIn } from './run-in.ts';
import type { Registry } from './registry.ts';

/** A package as it lies in the registry. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
}

/** Versions, builds and publishes the packages of the copy in `folder`, with the commands of the release workflow. */
export async function publishAll(folder: string, { env }: Registry): Promise<PublishedPackage[]> {
  const pnpm = join(ROOT, 'node_modules/.bin/pnpm');
  await runIn(folder, 'git', ['init', '--quiet']);
  await runIn(folder, pnpm, ['install', '--offline', '--frozen-lockfile']);
  const [before, after] = [versionsIn(folder), await version(folder).then(() => versionsIn(folder))];
  for (const { name, version: now } of after)
    console.log(`${name} ${before.find((one) => one.name === name)?.version} → ${now}`);
  await runIn(folder, pnpm, ['exec', 'tsc', '-b', 'packages/service']);
  await runIn(folder, pnpm, ['--filter', '@pulse-card/bff', 'build']);
  await runIn(folder, pnpm, ['--filter', '@pulse-card/widget', 'build']);
  await runIn(folder, pnpm, ['exec', 'changeset', 'publish', '--no-git-tag'], { env });
  return after;
}

function version(folder: string): Promise<string> {
  return runIn(folder, process.execPath, ['--conditions=source', 'tools/version.ts']);
}

function versionsIn(folder: string): PublishedPackage[] {
  return readdirSync(join(folder, 'packages')).map((name) => {
    const text = readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8');
    return JSON.parse(text) as PublishedPackage;
  });
}
