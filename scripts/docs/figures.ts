// Writes the figures from bench/results/ into the docs. With --check, it lists the stale figures instead. Figures are
// between `<!-- figure KEY -->` and `<!-- /figure -->`. The keys are in each result's last table.
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '@pulse-card/testkit/system/ask';
import { ROOT } from '../run.ts';
import { documentationPages } from './documentation-pages.ts';

/** Returns the figures in a result's last table, by key. */
export function figuresIn(result: string): [key: string, figure: string][] {
  const [, section = ''] = result.split('\n## Figures that docs name\n');
  return Array.from(section.matchAll(/^\| `([\w.-]+)` \| (.+?) \|$/gm), ([, key = '', figure = '']) => [key, figure]);
}

/** Returns the page with the latest value of each figure. Throws if the results don't contain one of the figures. */
export function withFigures(page: string, figures: ReadonlyMap<string, string>): string {
  return page.replaceAll(
    /(<!-- figure ([\w.-]+) -->)[^<]*(<!-- \/figure -->)/g,
    (_, begin: string, key: string, end) => {
      const figure = figures.get(key);
      if (figure === undefined)
        throw new Error(`no result has the figure "${key}": remove the figure, or run its benchmark`);
      return begin + figure + end;
    },
  );
}

/** Returns the error in a result's first lines, if there is one. `isKnown` returns whether HEAD contains a commit. */
export function faultsOf(result: string, isKnown: (commit: string) => boolean): string[] {
  const commit = /^- Date: \d{4}-\d\d-\d\dT\S+; commit: ([0-9a-f]{7,40})$/m.exec(result)?.[1];
  const faults = /^- Machine: .+; Node v\d/m.test(result) ? [] : ['doesn’t say which machine was used'];
  if (commit === undefined) return [...faults, 'has no date and commit, or was taken with uncommitted changes'];
  return isKnown(commit) ? faults : [...faults, `has the commit ${commit}, which this branch doesn’t contain`];
}

function main(isCheck: boolean): void {
  const complain = (file: string, fault: string) => {
    console.error(`${file} ${fault}`);
    process.exitCode = 1;
  };
  const isShallow = ask('git', ['rev-parse', '--is-shallow-repository']).stdout.trim() === 'true';
  const isKnown = (commit: string) => isShallow || ask('git', ['merge-base', '--is-ancestor', commit, 'HEAD']).ok;
  const figures = new Map<string, string>();
  for (const name of readdirSync(join(ROOT, 'bench/results'))) {
    const result = readFileSync(join(ROOT, 'bench/results', name), 'utf8');
    for (const fault of faultsOf(result, isKnown)) complain(`bench/results/${name}`, fault);
    for (const [key, figure] of figuresIn(result)) figures.set(key, figure);
  }
  for (const file of [...documentationPages(), ...globSync('.github/*.md', { cwd: ROOT })]) {
    const page = readFileSync(join(ROOT, file), 'utf8');
    try {
      const current = withFigures(page, figures);
      if (current === page) continue;
      if (isCheck) complain(file, 'has figures from an earlier run: run "npm run docs:figures"');
      else writeFileSync(join(ROOT, file), current);
    } catch (error) {
      complain(file, error instanceof Error ? error.message : String(error));
    }
  }
}

if (process.argv[1] === import.meta.filename) main(process.argv.includes('--check'));
