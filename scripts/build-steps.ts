import { join } from 'node:path';
import { ROOT } from './run.ts';
import { nodeStep, type Step } from './steps.ts';

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

/** What turns sources into what is run and published: types and modules of each package, the one-file widget, the demo page. */
export function buildSteps(): Step[] {
  const widget = join(ROOT, 'packages/widget');
  const demo = join(ROOT, 'demo');
  return [
    nodeStep('types and modules', [
      TSC,
      '-b',
      'packages/contract',
      'packages/service',
      'packages/widget',
      'packages/bff',
    ]),
    nodeStep('widget in one file', [join(widget, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
      cwd: widget,
    }),
    nodeStep('demo page', [join(demo, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], { cwd: demo }),
  ];
}
