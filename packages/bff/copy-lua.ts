import { cpSync } from 'node:fs';
import { join } from 'node:path';

// The scripts that Redis runs, beside the compiled modules that read them.
const [from, to] = [join(import.meta.dirname, 'src/redis'), join(import.meta.dirname, 'dist/redis')];
cpSync(from, to, { recursive: true, filter: (path) => path === from || path.endsWith('.lua') });
