import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSteps } from './build-steps.ts';
import { siteSteps } from './docs/site.ts';
import { packStep } from './pnpm.ts';
import { ROOT } from './run.ts';
import { publishedPackages, tarballOf } from './release/published-packages.ts';
import { readArguments, runMain } from './usage.ts';
import { commandStep, nodeStep, reportFailures, runSteps, type Step } from './steps.ts';

const PACKS = join(ROOT, '.cache', 'packs');
const MANIFEST = 'packages/widget/custom-elements.json';

await runMain(async () => {
  const { values } = readArguments({ 'skip-build': { type: 'boolean', default: false } });
  const packages = publishedPackages();
  rmSync(PACKS, { recursive: true, force: true });
  mkdirSync(PACKS, { recursive: true });

  const steps: Step[] = [
    local('format', 'oxfmt', ['--check', '.']),
    ...(values['skip-build'] ? [] : buildSteps()),
    commandStep('the manifest of the elements is added to git', 'git', ['diff', '--exit-code', '--stat', MANIFEST]),
    local('lint', 'oxlint', ['--type-aware', '--deny-warnings']),
    local('types of tests, demo, scripts', 'tsc', ['-p', 'tsconfig.tests.json']),
    local('dead code', 'knip', ['--no-progress']),
    ...packages.map((name) => packStep(name, PACKS)),
    ...packages.map((name) => local(`valid package: ${name}`, 'publint', ['--strict', join(PACKS, tarballOf(name))])),
    ...packages.map((name) => local(`types as consumers resolve them: ${name}`, 'attw', attwArguments(name))),
    local('size budget', 'size-limit', []),
    nodeStep('prose', ['scripts/prose.ts']),
    nodeStep('samples in the docs', ['scripts/docs/samples.ts']),
    nodeStep('figures in the docs', ['scripts/docs/figures.ts', '--check']),
    nodeStep('reference pages', ['scripts/docs/reference.ts', '--check']),
    ...siteSteps(),
  ];

  reportFailures(await runSteps(steps));
});

/** A step that runs a tool from the repository's `node_modules`. */
function local(title: string, tool: string, args: readonly string[]): Step {
  return commandStep(title, join(ROOT, 'node_modules/.bin', tool), args);
}

function attwArguments(name: string): string[] {
  // Entry points that aren't typed modules: the scripts for pages, and data files.
  const data = ['custom-elements', 'vscode.html-custom-data', 'vscode.css-custom-data', 'web-types', 'package'];
  const untyped = [
    '--exclude-entrypoints',
    './pulse-card.js',
    './pulse-board.js',
    ...data.map((file) => `./${file}.json`),
  ];
  const output = ['--no-emoji', '--no-color', '--format', 'ascii'];
  return [join(PACKS, tarballOf(name)), '--profile', 'esm-only', ...output, ...(name === 'widget' ? untyped : [])];
}
