import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../run.ts';
import { publishedPackages } from './published-packages.ts';
import { runIn } from '../../packages/testkit/src/registry/run-in.ts';
import type { Registry } from '../../packages/testkit/src/registry/registry.ts';

/** A package in the registry. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
}

/** Prepares a copy of the work tree that resembles the release workflow's checkout. */
export async function prepareCheckout(folder: string): Promise<void> {
  await runIn(folder, 'git', ['init', '--quiet', '--initial-branch', 'main']);
  await runIn(folder, 'node', ['scripts/install.js']);
}

/** Adds a changeset, and runs the workflow's command that creates versions from changesets. */
export async function bumpVersions(folder: string): Promise<PublishedPackage[]> {
  const names = versionsIn(folder).map(({ name }) => `'${name}': minor`);
  writeFileSync(join(folder, '.changeset/rehearsal.md'), `---\n${names.join('\n')}\n---\n\nA rehearsal.\n`);
  await runCommand(folder, releaseCommands()['version-script']);
  return versionsIn(folder);
}

/** Builds and publishes the packages of the copy in `folder` with the workflow's commands. Returns what was published. */
export async function publishAll(folder: string, { env }: Registry): Promise<PublishedPackage[]> {
  await runCommand(folder, 'npm run build');
  await runCommand(folder, releaseCommands()['publish-script'], env);
  return versionsIn(folder);
}

interface ReleaseCommands {
  readonly 'version-script': string;
  readonly 'publish-script': string;
}

/** The commands that the release workflow passes to the changesets action. */
function releaseCommands(): ReleaseCommands {
  const workflow = parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')) as Workflow;
  const step = workflow.jobs.packages.steps.find(({ uses = '' }) => uses.startsWith('changesets/action@'));
  if (step?.with === undefined) throw new Error('release.yml has no step that uses changesets/action');
  return step.with;
}

interface Workflow {
  readonly jobs: {
    readonly packages: { readonly steps: readonly { readonly uses?: string; readonly with?: ReleaseCommands }[] };
  };
}

/**
 * Runs a command the way a workflow step does: with the machine's `PATH`, which contains nothing from this repository.
 */
export function runCommand(
  folder: string,
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const path = (process.env['PATH'] ?? '').split(':').filter((entry) => !entry.startsWith(ROOT));
  return runIn(folder, 'sh', ['-c', command], { env: { ...env, PATH: path.join(':'), CI: 'true' } });
}

function versionsIn(folder: string): PublishedPackage[] {
  return publishedPackages(folder).map((name) => {
    const text = readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8');
    return JSON.parse(text) as PublishedPackage;
  });
}
