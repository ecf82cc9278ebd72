// Builds docs/ as a site into docs/dist/. Fails if a link is dead.
import { join } from 'node:path';
import { ROOT } from '../run.ts';
import { commandStep, reportFailures, runSteps, type Step } from '../steps.ts';
import { deadLinks } from './dead-links.ts';

const DOCS = join(ROOT, 'docs');

/** Builds the site, and checks its links. */
export function siteStep(): Step {
  const vitepress = join(DOCS, 'node_modules/.bin/vitepress');
  const build = commandStep('documentation site', vitepress, ['build', '--outDir', 'dist'], { cwd: DOCS });
  return {
    title: build.title,
    async work(progress) {
      await build.work(progress);
      const dead = deadLinks(join(DOCS, 'dist'), process.env['DOCS_BASE'] ?? '/');
      if (dead.length > 0) throw new Error(`Dead links:\n${dead.join('\n')}`);
    },
  };
}

if (process.argv[1] === import.meta.filename) reportFailures(await runSteps([siteStep()]));
