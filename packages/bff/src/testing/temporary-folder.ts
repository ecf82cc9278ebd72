import { mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a folder of a test, which is removed when it is disposed of. */
export function temporaryFolder() {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'pulse-bff-'));
  return Object.assign(folder, {
    /** Writes a file, and returns its path. */
    file(name: string, text: string | Uint8Array): string {
      const path = join(folder.path, name);
      writeFileSync(path, text);
      return path;
    },
    /** The name and the text of each file in it, at any depth. */
    texts(): string[] {
      const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return files.map(({ parentPath, name }) => `${name}: ${readFileSync(join(parentPath, name), 'utf8')}`);
    },
  });
}

export type TemporaryFolder = ReturnType<typeof temporaryFolder>;
