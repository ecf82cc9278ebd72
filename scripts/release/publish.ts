import { readFileSync, rmSync, writeFileSync } from 'node:fs';
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
  await runIn(folder, 'node', ['scripts/install.js', 'all', 'with-node']);
}

/** Adds a changeset, and runs the workflow's command that creates versions from changesets. */
export async function bumpVersions(folder: string): Promise<PublishedPackage[]> {
  const names = versionsIn(folder).map(({ name }) => `'${name}': minor`);
  writeFileSync(join(folder, '.changeset/rehearsal.md'), `---\n${names.join('\n')}\n---\n\nA rehearsal.\n`);
  await runCommand(folder, stepIn(releaseJobs().versions, 'changesets').with?.['version-script'] ?? '');
  return versionsIn(folder);
}

/** Builds and publishes the packages of the copy in `folder` with the workflow's commands. Returns what was published. */
export async function publishAll(folder: string, { env }: Registry): Promise<PublishedPackage[]> {
  const { build, packages } = releaseJobs();
  rmSync(join(folder, 'packs'), { recursive: true, force: true });
  await runCommand(folder, 'npm run build');
  await runCommand(folder, stepIn(build, 'pack').run ?? '');
  await runCommand(folder, `set -e\n${stepIn(packages, 'publish').run}`, env);
  return versionsIn(folder);
}

/** The jobs of the release workflow. */
function releaseJobs(): Workflow['jobs'] {
  return (parse(readFileSync(join(ROOT, '.github/workflows/release.yml'), 'utf8')) as Workflow).jobs;
}

function stepIn({ steps }: Job, id: string): Step {
  const step = steps.find((one) => one.id === id);
  if (step === undefined) throw new Error(`release.yml has no step "${id}"`);
  return step;
}

interface Step {
  readonly id?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
}

interface Job {
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly jobs: Readonly<Record<'build' | 'versions' | 'packages', Job>>;
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
