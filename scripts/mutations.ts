import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { table } from '../bench/report/table.ts';
import { firstRed, type Outcome } from './mutations/first-red.ts';
import { type Mutation, mutatedSource } from './mutations/mutation.ts';
import { MUTATIONS } from './mutations/list.ts';
import { makeScratchCopy } from './mutations/scratch-copy.ts';
import { ROOT } from './run.ts';

/** Longest that all tests may take before anything is taken away, in ms. */
const UNTOUCHED_MS = 1_200_000;

// `npm run mutations` runs all, `-- redirect "key in"` those whose name holds one of the words, `-- --list` none.
const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const chosen = MUTATIONS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (process.argv.includes('--list')) for (const { name, file } of chosen) console.log(`${name}  (${file})`);
else await check();

/** Takes each defence away in a copy of the repository, and fails unless a test turns red. */
async function check(): Promise<void> {
  using scratch = makeScratchCopy();
  console.log(`${chosen.length} defences, one after another, in ${scratch.folder}`);
  const tests = [...new Set(chosen.flatMap((mutation) => mutation.tests))];
  const untouched = await firstRed(scratch.folder, tests, { mostMs: UNTOUCHED_MS });
  if (untouched.kind !== 'green')
    return fail(`Cannot begin: the tests are not green without any edit: ${saidOf(untouched)}`);
  const rows: Row[] = [];
  for (const mutation of chosen) {
    const outcome = await outcomeOf(mutation, scratch.folder);
    rows.push({ mutation, outcome });
    console.log(`[${rows.length}/${chosen.length}] ${mutation.name}: ${saidOf(outcome)}`);
  }
  const text = pageOf(rows);
  if (words.length === 0) writeFileSync(join(ROOT, 'bench/results/mutations.md'), text);
  const escaped = rows.filter(({ outcome }) => outcome.kind !== 'red');
  if (escaped.length > 0) fail(`${escaped.length} of ${rows.length} turned no test red: ${namesOf(escaped)}`);
  else console.log(`\nMutations: each of ${rows.length} turned a test red`);
}

interface Row {
  readonly mutation: Mutation;
  readonly outcome: Outcome;
}

async function outcomeOf(mutation: Mutation, folder: string): Promise<Outcome> {
  const path = join(folder, mutation.file);
  const source = readFileSync(path, 'utf8');
  try {
    writeFileSync(path, mutatedSource(source, mutation));
    return await firstRed(folder, mutation.tests);
  } catch (error) {
    return { kind: 'broken', said: error instanceof Error ? error.message : String(error) };
  } finally {
    writeFileSync(path, source);
  }
}

function pageOf(rows: readonly Row[]): string {
  const red = rows.filter(({ outcome }) => outcome.kind === 'red').length;
  return [
    '# Mutations: each defence taken away',
    '',
    `\`npm run mutations\` on ${new Date().toISOString().slice(0, 10)}: ${red} of ${rows.length} turned a test red.`,
    'Each edit is made in a copy of the repository, by itself; the tests named in `scripts/mutations/` are run; the first that fails is shown.',
    '',
    table(
      ['defence taken away', 'rows', 'file', 'first test that turned red'],
      rows.map(({ mutation: { name, threats, file }, outcome }) => [
        name,
        threats.join(' '),
        `\`${file}\``,
        saidOf(outcome),
      ]),
    ),
    '',
  ].join('\n');
}

function saidOf(outcome: Outcome): string {
  if (outcome.kind === 'green') return 'none';
  return (outcome.kind === 'red' ? outcome.title : `broken: ${outcome.said}`).replaceAll('|', String.raw`\|`);
}

function namesOf(rows: readonly Row[]): string {
  return rows.map(({ mutation }) => mutation.name).join('; ');
}

function fail(message: string): void {
  console.error(styleText('red', `\nMutations: ${message}`));
  process.exitCode = 1;
}
