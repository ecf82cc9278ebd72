import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../root.ts';

const DEPLOY = join(ROOT, 'deploy');

/** A cache that runs as a process in front of the BFF. */
export interface Front {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** A separate folder for a program's files, with a function that removes it. */
export interface FrontFolder {
  readonly path: string;
  /** Writes a file and returns its path. */
  write(name: string, text: string): string;
  remove(): void;
}

/** Creates a folder for the files of one proxy or cache. */
export function frontFolder(name: string): FrontFolder {
  const path = mkdtempSync(join(tmpdir(), `pulse-${name}-`));
  // Varnish reads its files as a different user.
  chmodSync(path, 0o755);
  return {
    path,
    write: (file, text) => {
      writeFileSync(join(path, file), text);
      return join(path, file);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

/**
 * A configuration that operators copy from `deploy/`, with some values replaced. Throws if it doesn't contain a value
 * to replace.
 */
export function deployed(file: string, values: readonly (readonly [old: string, replacement: string])[]): string {
  return values.reduce(
    (text, [old, replacement]) => {
      if (!text.includes(old)) throw new Error(`Can’t change ${file}: it doesn’t contain ${old}`);
      return text.replaceAll(old, replacement);
    },
    readFileSync(join(DEPLOY, file), 'utf8'),
  );
}
