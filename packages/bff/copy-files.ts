import { cpSync } from 'node:fs';
import { join } from 'node:path';

// Copies the scripts that Redis runs, and the API descriptions, next to the compiled modules that read them.
for (const [folder, ending] of [
  ['features/redis', '.lua'],
  ['features/files', '.yaml'],
] as const) {
  const [from, to] = [join(import.meta.dirname, 'src', folder), join(import.meta.dirname, 'dist', folder)];
  cpSync(from, to, { recursive: true, filter: (path) => !/\.\w+$/.test(path) || path.endsWith(ending) });
}
