import { join } from 'node:path';
import { ROOT } from '../run.ts';
import { commandStep, nodeStep, reportFailures, runSteps, type Step } from '../steps.ts';

const DOCS = join(ROOT, 'docs');

/**
 * Generates the parts of the reference that aren't in the repository and builds the site in docs/ into docs/dist/.
 * VitePress fails if a link leads to a page that doesn't exist.
 */
export function siteSteps(): Step[] {
  const vitepress = join(DOCS, 'node_modules/.bin/vitepress');
  return [
    nodeStep('reference of the site', [join(DOCS, '.vitepress/generate.ts')]),
    commandStep('documentation site', vitepress, ['build', '--outDir', 'dist'], { cwd: DOCS }),
  ];
}

if (process.argv[1] === import.meta.filename) reportFailures(await runSteps(siteSteps(), { stopAtFailure: true }));
