// Writes the committed pages in docs/reference/ that are generated from the code. With --check, it lists the stale
// files instead. Needs a build.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';
import { configurationPage } from './configuration-page.ts';
import { elementsPage } from './elements-page.ts';
import { httpPage } from './http-page.ts';

const NOTE =
  '<!-- Made from the code by scripts/docs/reference.ts: change the code, then run `npm run docs:reference`. -->';

const pages: Readonly<Record<string, string>> = {
  'elements.md': elementsPage(),
  'configuration.md': configurationPage(),
  'http.md': httpPage(),
};

const isCheck = process.argv.includes('--check');
mkdirSync(join(ROOT, 'docs/reference'), { recursive: true });
for (const [name, text] of Object.entries(pages)) {
  writeOrCompare(`docs/reference/${name}`, `${NOTE}\n\n${text.replaceAll(/\n{3,}/g, '\n\n').trimEnd()}\n`);
}

function writeOrCompare(file: string, text: string): void {
  const path = join(ROOT, file);
  if (!isCheck) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    console.error(`${file} is out of date: run "npm run docs:reference"`);
    process.exitCode = 1;
  }
}
