import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '../bench/report/table.ts';
import { ROOT } from '../scripts/run.ts';
import { readArguments, runMain } from '../scripts/usage.ts';
import { firstRed, type Outcome } from './mutations/first-red.ts';
import { MUTATIONS } from './mutations/list.ts';
import { type Mutation, mutatedText, sourceOf } from './mutations/mutation.ts';
import { makeScratchCopy } from './mutations/scratch-copy.ts';
import { ownTestsOf, packageSources, testsOf } from './mutations/sources.ts';

/** Longest that all tests may take before anything is taken away, in ms. */
const UNTOUCHED_MS = 3_600_000;

/** A defence, where it stands, and how its tests ended without it. */
interface Row {
  readonly mutation: Mutation;
  readonly file: string;
  readonly outcome: Outcome;
}

// `npm run mutations` takes away all, `-- redirect "key in"` those whose name holds one of the words, `-- --list` none.
await runMain(async () => {
  const { values, positionals: words } = readArguments({ list: { type: 'boolean' } });
  const chosen = MUTATIONS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  const sources = packageSources();
  const connectionLimiter = chosen.map((mutation) => ({ mutation, source: sourceOf(mutation, sources) }));
  if (values.list)
    return connectionLimiter.forEach(({ mutation, source }) => console.log(`${mutation.name}  (${source.file})`));
  using scratch = makeScratchCopy();
  console.log(`${chosen.length} defences, one after another, in ${scratch.folder}`);
  const all = [...new Set(connectionLimiter.flatMap(({ mutation, source }) => testsOf(mutation, source.file)))];
  const untouched = await firstRed(scratch.folder, all, { maxMs: UNTOUCHED_MS });
  if (untouched.kind !== 'green')
    throw new Error(`Cannot begin: the tests are not green without any edit: ${outcomeText(untouched)}`);
  const rows: Row[] = [];
  for (const { mutation, source } of connectionLimiter) {
    const outcome = await outcomeWithout(mutation, source, scratch.folder);
    rows.push({ mutation, file: source.file, outcome });
    console.log(`[${rows.length}/${connectionLimiter.length}] ${mutation.name}: ${outcomeText(outcome)}`);
  }
  if (words.length === 0) writeFileSync(join(ROOT, 'bench/results/mutations.md'), pageOf(rows));
  const escaped = rows.filter(({ outcome }) => outcome.kind !== 'red').map(({ mutation }) => mutation.name);
  if (escaped.length > 0)
    throw new Error(`${escaped.length} of ${rows.length} turned no test red: ${escaped.join('; ')}`);
  console.log(`\nEach of ${rows.length} turned a test red`);
});

async function outcomeWithout(
  mutation: Mutation,
  source: ReturnType<typeof sourceOf>,
  folder: string,
): Promise<Outcome> {
  const path = join(folder, source.file);
  writeFileSync(path, mutatedText(source, mutation));
  try {
    const own = await firstRed(folder, ownTestsOf(source.file));
    return own.kind === 'red' ? own : await firstRed(folder, testsOf(mutation, source.file));
  } finally {
    writeFileSync(path, source.text);
  }
}

function pageOf(rows: readonly Row[]): string {
  const red = rows.filter(({ outcome }) => outcome.kind === 'red').length;
  return [
    '# Mutations: each defence taken away',
    '',
    `\`npm run mutations\` on ${new Date().toISOString().slice(0, 10)}: ${red} of ${rows.length} turned a test red.`,
    'Each edit is made alone, in a copy of the repository. The tests beside the file and those of its threats run; the first that fails is shown.',
    '',
    table(
      ['defence taken away', 'threats', 'file', 'first test that turned red'],
      rows.map(({ mutation, file, outcome }) => [
        mutation.name,
        mutation.threats.join(' '),
        `\`${file}\``,
        outcomeText(outcome),
      ]),
    ),
    '',
  ].join('\n');
}

function outcomeText(outcome: Outcome): string {
  if (outcome.kind === 'green') return 'none';
  return (outcome.kind === 'red' ? outcome.title : `broken: ${outcome.output}`).replaceAll('|', String.raw`\|`);
}
