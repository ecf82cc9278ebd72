import { mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder for a test. Disposing of it removes the folder. */
export function temporaryFolder() {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'pulse-bff-'));
  return Object.assign(folder, {
    /** The path to a file. If `text` is given, writes the file first. */
    file(name: string, text?: string | Uint8Array): string {
      const path = join(folder.path, name);
      if (text !== undefined) writeFileSync(path, text);
      return path;
    },
    /** The name and text of each file in the folder, at any depth. */
    texts(): string[] {
      const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return files.map(({ parentPath, name }) => `${name}: ${readFileSync(join(parentPath, name), 'utf8')}`);
    },
  });
}

export type TemporaryFolder = ReturnType<typeof temporaryFolder>;
