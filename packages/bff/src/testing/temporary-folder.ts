import { mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of a test. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
  /** Writes a file, and returns its path. */
  file(name: string, text: string): string;
  /** The name and the text of each file in it, at any depth. */
  texts(): string[];
  remove(): void;
}

/** Makes a folder that is removed when it is disposed of. */
export function temporaryFolder(): TemporaryFolder {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'pulse-bff-'));
  return Object.assign(folder, {
    file(name: string, text: string): string {
      const path = join(folder.path, name);
      writeFileSync(path, text);
      return path;
    },
    texts(): string[] {
      const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return files.map(({ parentPath, name }) => `${name}: ${readFileSync(join(parentPath, name), 'utf8')}`);
    },
  });
}
