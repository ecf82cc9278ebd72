import { basename, join } from 'node:path';
import { ROOT } from './run.ts';
import { nodeStep, type Step } from './steps.ts';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const BUILD = ['build', '--logLevel', 'warn'];

/** What turns sources into what is run and published: types and modules of each package, the one-file widget, the demo page, the examples. */
export function buildSteps(): Step[] {
  const widget = join(ROOT, 'packages/widget');
  const demo = join(ROOT, 'demo');
  const examples = ['react', 'vue', 'svelte'].map((name) => join(ROOT, 'examples', name));
  return [
    nodeStep('types and modules', [
      TSC,
      '-b',
      'packages/contract',
      'packages/service',
      'packages/widget',
      'packages/bff',
    ]),
    nodeStep('widget in one file', [viteOf(widget), ...BUILD], { cwd: widget }),
    nodeStep('what editors read', [join(widget, 'editor-data.ts')]),
    nodeStep('demo page', [viteOf(demo), ...BUILD], { cwd: demo }),
    ...examples.map((cwd) => nodeStep(`example: ${basename(cwd)}`, [viteOf(cwd), ...BUILD], { cwd })),
  ];
}

function viteOf(folder: string): string {
  return join(folder, 'node_modules/vite/bin/vite.js');
}
