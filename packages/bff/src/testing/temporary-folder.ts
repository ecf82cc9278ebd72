import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test: `using folder = temporaryFolder()`. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
  /** The path of a file in it. */
  file(name: string): string;
  remove(): void;
}

/** Creates an empty folder. */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), 'pulse-'));
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  return { path, file: (name) => join(path, name), remove, [Symbol.dispose]: remove };
}
