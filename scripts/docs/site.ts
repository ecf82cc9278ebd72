import { join } from 'node:path';
import { ROOT } from '../run.ts';
import { commandStep, reportFailures, runSteps, type Step } from '../steps.ts';

const DOCS = join(ROOT, 'docs');

/** Builds docs/ as a site into docs/dist/. VitePress fails if a link leads to a page that doesn't exist. */
export function siteStep(): Step {
  const vitepress = join(DOCS, 'node_modules/.bin/vitepress');
  return commandStep('documentation site', vitepress, ['build', '--outDir', 'dist'], { cwd: DOCS });
}

if (process.argv[1] === import.meta.filename) reportFailures(await runSteps([siteStep()]));
