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
 * The files to run for a suite: one for each group of files, which imports them, and the files in no group. The shared
 * files come first, because they take the longest.
 */
export function withSharedFiles(suite: Suite): readonly string[] {
  const { name, kind, files } = suite;
  if (kind === 'end-to-end') return files;
  const { folder, extension } = SHARED[kind];
  mkdirSync(join(ROOT, folder), { recursive: true });
  const groups = groupsOf(suite).filter((group) => group.length > 0);
  const paths = groups.map((group, at) => {
    const path = `${folder}/${name}-${at + 1}.${extension}`;
    const imports = group.map((file) => `import ${JSON.stringify(relative(folder, file))};\n`);
    writeFileSync(join(ROOT, path), imports.join(''));
    return path;
  });
  const alone = files.filter((file) => !groups.some((group) => group.includes(file)));
  return [...paths, ...alone];
}

function groupsOf({ files, separate, together = [] }: Suite): string[][] {
  const matching = (patterns: readonly string[], isWanted = true) =>
    files.filter((file) => patterns.some((pattern) => matchesGlob(file, pattern)) === isWanted);
  if (separate !== undefined) return [matching(separate, false)];
  return together.map((pattern) => matching([pattern]));
}
