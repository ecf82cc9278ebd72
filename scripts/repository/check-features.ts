// Copies the BFF, removes a feature's folder, and checks that only the files that name every part have to change.
// `--all` checks each feature. Without `--all`, the date selects one feature.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture, ROOT } from '../run.ts';

const BFF = join(ROOT, 'packages/bff');
const COPY = join(BFF, '.cache/without-a-feature');

/**
 * The files that name every part: composition, package entry, and command line. Their lines are removed together with
 * the feature.
 */
const USERS = /^src\/(?:bff\.ts|index\.ts|cli\/|testing\/)/;

const DAY_MS = 86_400_000;

const features = readdirSync(join(BFF, 'src/features')).toSorted();
const today = features[Math.floor(Date.now() / DAY_MS) % features.length] ?? '';
for (const feature of process.argv.includes('--all') ? features : [today]) {
  const lines = await errorsWithout(feature);
  console.log(`${feature}: ${lines.length === 0 ? 'can be removed' : `${lines.length} errors`}`);
  for (const line of lines) console.error(`  ${line}`);
  if (lines.length > 0) process.exitCode = 1;
}
rmSync(COPY, { recursive: true, force: true });

/** The compiler's errors after a feature was removed, in files that must not use the feature. */
async function errorsWithout(feature: string): Promise<string[]> {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  const removed = join(BFF, 'src/features', feature);
  cpSync(join(BFF, 'src'), join(COPY, 'src'), {
    recursive: true,
    filter: (path) => !path.startsWith(removed) && !path.endsWith('.test.ts'),
  });
  // The BFF imports the element's types from the widget's package, and these types refer to browser types.
  const compilerOptions = {
    noEmit: true,
    composite: false,
    rootDir: '../../../..',
    lib: ['ESNext', 'DOM', 'DOM.Iterable'],
  };
  const config = { extends: '../../tsconfig.json', compilerOptions, include: ['src'], references: [] };
  writeFileSync(join(COPY, 'tsconfig.json'), JSON.stringify(config));
  const { output } = await capture(join(ROOT, 'node_modules/.bin/tsc'), ['-p', COPY, '--pretty', 'false']);
  return output
    .split('\n')
    .filter((line) => line.includes('without-a-feature/src/') && line.includes('error TS'))
    .map((line) => line.slice(line.indexOf('src/', line.indexOf('without-a-feature'))))
    .filter((line) => !USERS.test(line.split('(')[0] ?? ''));
}
