// Prints the release notes of the current version: each package's changelog entry, and the tags that pin the scripts.
// Needs a build, because the tags contain the digests of the built scripts.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';
import { manifestOf, publishedPackages } from './published-packages.ts';

const { name: widget, version } = manifestOf('widget');
const packages = publishedPackages();

console.log(
  [
    ...packages.map((folder) => [`## ${manifestOf(folder).name}`, changesOf(folder)].join('\n\n')),
    '## Pinned scripts',
    ...['pulse-card.js', 'pulse-board.js'].map((script) => ['```html', tagOf(script), '```'].join('\n')),
  ].join('\n\n'),
);

/** This version's changelog entry, without its heading. */
function changesOf(folder: string): string {
  const changelog = readFileSync(join(ROOT, 'packages', folder, 'CHANGELOG.md'), 'utf8');
  const entry = changelog.split(/^## /m).find((part) => part.startsWith(`${version}\n`));
  if (entry === undefined) throw new Error(`packages/${folder}/CHANGELOG.md has no entry for ${version}`);
  return entry.slice(version.length).trim();
}

/** The tag that loads a script of this version from a CDN. The browser runs the script only if its digest matches. */
function tagOf(script: string): string {
  const bytes = readFileSync(join(ROOT, 'packages/widget/dist', script));
  const digest = createHash('sha384').update(bytes).digest('base64');
  return `<script type="module" src="https://cdn.jsdelivr.net/npm/${widget}@${version}/dist/${script}"
  integrity="sha384-${digest}" crossorigin="anonymous"></script>`;
}
