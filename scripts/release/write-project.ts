// Writes the project's URL from project.json into every package.json. npm needs the URL to check the origin of
// a package.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../run.ts';
import { publishedPackages } from './published-packages.ts';
import { addressFields, readProject } from './project.ts';

const project = readProject();
for (const folder of ['', ...publishedPackages().map((name) => `packages/${name}`)]) {
  const path = join(ROOT, folder, 'package.json');
  const { homepage: _, bugs: __, repository: ___, ...manifest } = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  const entries = Object.entries(manifest);
  const at = entries.findIndex(([name]) => name === 'license');
  entries.splice(at, 0, ...Object.entries(addressFields(project, folder)));
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

interface Manifest extends Record<string, unknown> {
  homepage?: unknown;
  bugs?: unknown;
  repository?: unknown;
}
