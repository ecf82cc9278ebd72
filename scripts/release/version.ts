import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNPM } from '../pnpm.ts';
import { ROOT, run } from '../run.ts';
import { manifestOf } from './published-packages.ts';

const VERSION_FILE = join(ROOT, 'packages/widget/src/version.ts');

// changesets needs a `pnpm` in the `PATH`.
const [npx, ...pnpm] = PNPM;
const done = await run(npx, [...pnpm, 'exec', 'changeset', 'version']);
if (done) writeVersionOfWidget();
else process.exitCode = 1;

/**
 * Copies the version from package.json to a constant in the widget. The constant distinguishes two copies of the script
 * on one page.
 */
function writeVersionOfWidget(): void {
  const { version } = manifestOf('widget');
  const source = readFileSync(VERSION_FILE, 'utf8');
  writeFileSync(VERSION_FILE, source.replace(/'\d+\.\d+\.\d+[^']*'/, `'${version}'`));
}
