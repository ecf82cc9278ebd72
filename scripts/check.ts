import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildSteps } from './build-steps.ts';
import { ROOT } from './run.ts';
import { closeWith, nodeStep, runAll, type Step } from './steps.ts';

const packages = readdirSync(join(ROOT, 'packages'));

const steps: Step[] = [
  local('format', 'oxfmt', ['--check', '.']),
  ...buildSteps(),
  local('lint', 'oxlint', ['--type-aware', '--deny-warnings']),
  local('types of tests, demo, scripts', 'tsc', ['-p', 'tsconfig.tests.json']),
  local('dead code', 'knip', ['--no-progress']),
  ...packages.map((name) =>
    local(`package truth: ${name}`, 'publint', ['--strict', '--pack', 'pnpm', join('packages', name)]),
  ),
  ...packages.map((name) => attw(name)),
  local('size budget', 'size-limit', []),
  nodeStep('freshness gate', ['bench/simulator/run.ts', '--short']),
];

closeWith('Check', await runAll(steps));

/** A step that runs a tool from this repository's own packages. */
function local(title: string, tool: string, args: readonly string[]): Step {
  return { title, command: join(ROOT, 'node_modules/.bin', tool), args };
}

function attw(name: string): Step {
  return local(`types as consumers resolve them: ${name}`, 'attw', [
    '--pack',
    join('packages', name),
    '--profile',
    'esm-only',
    '--pm',
    'pnpm',
    '--no-emoji',
  ]);
}
