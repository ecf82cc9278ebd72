import { mkdirSync, writeFileSync } from 'node:fs';
import { join, matchesGlob, relative } from 'node:path';
import { ROOT } from '../run.ts';
import type { Suite } from './suites.ts';

/** The shared files, without the suite's name. The server of the element tests serves only files in its package. */
const SHARED = {
  node: { folder: '.cache/shared', extension: 'test.ts' },
  element: { folder: 'packages/widget/.cache/shared', extension: 'browser.ts' },
};

/**
 * The files to run for a suite: those that match `separate`, and one that imports all others. The shared file comes
 * first, because it takes the longest.
 */
export function withSharedFile({ name, kind, files, separate }: Suite): readonly string[] {
  if (separate === undefined || kind === 'end-to-end') return files;
  const alone = files.filter((file) => separate.some((pattern) => matchesGlob(file, pattern)));
  const shared = files.filter((file) => !alone.includes(file));
  if (shared.length === 0) return alone;
  const { folder, extension } = SHARED[kind];
  const path = `${folder}/${name}.${extension}`;
  mkdirSync(join(ROOT, folder), { recursive: true });
  const imports = shared.map((file) => `import ${JSON.stringify(relative(folder, file))};\n`);
  writeFileSync(join(ROOT, path), imports.join(''));
  return [path, ...alone];
}
