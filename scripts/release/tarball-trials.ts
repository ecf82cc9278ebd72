import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressFields, readProject } from './project.ts';
import { type PublishedPackage, runCommand } from './publish.ts';
import type { Registry } from '../../packages/testkit/src/registry/registry.ts';
import type { Results } from './results.ts';
import { runIn } from '../../packages/testkit/src/registry/run-in.ts';

const WANTED_FILES = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'dist/THIRD-PARTY-NOTICES.txt'];
/** The fields that contain the project's address. The fields are missing until the project has an address. */
const ADDRESS_FIELDS = Object.keys(addressFields(readProject(), ''));
const WANTED_FIELDS = ['description', 'keywords', 'license', 'author', 'engines', ...ADDRESS_FIELDS];

/** Matches a file that only a build or a test needs. `@pulse-card/bff/testing` is `testing/test-upstream`. */
const FOREIGN_FILE = /\.tsbuildinfo$|\.test\.|\/testing\/(?!test-upstream\.)|\.env/;

/** Matches a version that can be resolved only in this repository. */
const FOREIGN_VERSION = /"(?:workspace|catalog):[^"]*"/;

/** What the tarball tests need. */
export interface TarballParts {
  readonly registry: Registry;
  readonly results: Results;
  /** A folder for temporary files. */
  readonly folder: string;
}

/** Downloads a package from the registry and inspects its content. */
export async function tryTarballs({ name, version }: PublishedPackage, parts: TarballParts): Promise<void> {
  const { registry, results, folder } = parts;
  await results.try(name.replace('@pulse-card/', ''), `files and package.json of ${version}`, async () => {
    const place = join(folder, 'tarballs', `${name.replace('/', '-')}-${version}`);
    mkdirSync(place, { recursive: true });
    await runIn(place, 'npm', ['pack', `${name}@${version}`], { env: registry.env });
    const [tarball = ''] = readdirSync(place);
    await runIn(place, 'tar', ['-xzf', tarball]);
    const unpacked = join(place, 'package');
    const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' });
    const manifest = readFileSync(join(unpacked, 'package.json'), 'utf8');
    const fields = Object.keys(JSON.parse(manifest) as object);
    const faults = [
      ...WANTED_FILES.filter((file) => !files.includes(file)).map((file) => `no ${file}`),
      ...WANTED_FIELDS.filter((field) => !fields.includes(field)).map((field) => `no ${field} in package.json`),
      ...files.filter((file) => FOREIGN_FILE.test(file)).map((file) => `has ${file}`),
      ...(FOREIGN_VERSION.exec(manifest) ?? []).map((version) => `has ${version} in package.json`),
    ];
    if (faults.length > 0) throw new Error(faults.join('; '));
    return `${files.length} entries, with nothing missing and nothing unexpected`;
  });
}

/**
 * Creates what the release workflow adds to a release: the notes with the scripts' digests, and the bill of materials.
 */
export async function tryNotes(copy: string, results: Results): Promise<void> {
  await results.try('all', 'npm run release-notes', async () => {
    const notes = await runCommand(copy, 'npm run -s release-notes');
    const tags = notes.match(/integrity="sha384-/g) ?? [];
    if (tags.length !== 2) throw new Error(notes);
    return `${notes.split('\n').length} lines, ${tags.length} digests`;
  });
  await results.try('all', 'npm run sbom, CycloneDX', async () => {
    const text = await runCommand(copy, 'npm run -s sbom');
    const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: { name: string }[] };
    const names = new Set(components.map(({ name }) => name));
    for (const name of ['express', 'lit', 'zod']) if (!names.has(name)) throw new Error(`${bomFormat} without ${name}`);
    return `${components.length} components`;
  });
}
