// Compiles the documentation's code samples against the built packages, with TypeScript's strict options.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '@pulse-card/testkit/system/ask';
import { ROOT } from '../run.ts';
import { documentationPages } from './documentation-pages.ts';

/** A code block on a page. Scripts inside HTML are also samples. */
export interface Sample {
  readonly language: 'ts' | 'tsx';
  readonly code: string;
  /** The line number of its first line on the page. */
  readonly line: number;
}

/** Returns the samples on a page that the compiler can check. */
export function samplesIn(markdown: string): Sample[] {
  const blocks = markdown.matchAll(/^```(ts|tsx|js|jsx|html)\n([^]*?)^```$/gm);
  return Array.from(blocks).flatMap(({ index, 1: language = '', 2: code = '' }) => {
    const line = markdown.slice(0, index).split('\n').length + 1;
    if (language !== 'html') return [{ language: language.endsWith('x') ? 'tsx' : 'ts', code, line } as const];
    const scripts = code.matchAll(/(<script type="module">)([^]*?)<\/script>/g);
    return Array.from(scripts, (script) => ({
      language: 'ts' as const,
      // The page has loaded the elements' script, so the sample imports the elements.
      code: `import '@pulse-card/widget';${script[2]}`,
      line: line + code.slice(0, script.index).split('\n').length - 1,
    }));
  });
}

const OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node'],
  module: 'nodenext',
  moduleDetection: 'force',
  jsx: 'react-jsx',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
};

function main(): void {
  // The folder is inside docs/, because the package there has the dependencies that samples import.
  const folder = join(ROOT, 'docs/.cache/samples');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const placeOf = new Map<string, string>();
  for (const page of documentationPages())
    for (const { language, code, line } of samplesIn(readFileSync(join(ROOT, page), 'utf8'))) {
      const file = `${page.replaceAll(/\W/g, '-')}-${line}.${language}`;
      writeFileSync(join(folder, file), code);
      placeOf.set(file, `${page}:${line}`);
    }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['*'] }));
  const compiled = ask(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false']);
  console.log(`${placeOf.size} samples`);
  if (compiled.ok) return;
  process.exitCode = 1;
  const named = compiled.stdout.replaceAll(
    /^.*?([\w-]+\.tsx?)(?=\()/gm,
    (_, file: string) => placeOf.get(file) ?? file,
  );
  console.error(`Samples don’t compile (lines are counted from the beginning of each sample):\n${named}`);
}

if (process.argv[1] === import.meta.filename) main();
