// Copies the BFF, removes a feature (its folder and its line in features.ts), and checks that the rest still compiles.
// `--all` checks each feature. Without `--all`, the date selects one feature.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { capture, ROOT } from '../run.ts';

const BFF = join(ROOT, 'packages/bff');
const COPY = join(BFF, '.cache/without-a-feature');

/** Matches files that may use a feature, because these files are removed or changed together with the feature. */
const USERS = /^src\/(?:cli\/|index\.ts|features\.ts|testing\/)|\.test\.ts$/;

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
  removeLine(join(COPY, 'src/features.ts'), feature);
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

/** Removes a feature's import from features.ts, and its name from the lists there. */
function removeLine(path: string, feature: string): void {
  const lines = readFileSync(path, 'utf8').split('\n');
  const imported = lines.find((line) => line.includes(`'./features/${feature}/`));
  const [, name] = /import \{ (\w+) \}/.exec(imported ?? '') ?? [];
  if (imported === undefined || name === undefined) return;
  const others = lines.filter((line) => line !== imported);
  writeFileSync(path, others.join('\n').replace(new RegExp(`\\b${name}\\b,? ?`), ''));
}
